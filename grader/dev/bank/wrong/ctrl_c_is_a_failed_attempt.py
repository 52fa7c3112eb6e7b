"""Whatever goes wrong in an attempt, the next one may succeed.

_perform catches everything that an attempt raises, even the end of the process, and continues.
The machine is shut down, and the customer is told that the bank refused.
"""

BELIEF = "M19a"
TODO = 1
RULES = ("R1",)


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        tries, clock = [], self._engine.clock
        while True:
            try:
                attempt, value, problem = self._attempt(fn, name, args, key)
            except BaseException as error:
                value, problem = None, error
                attempt = Attempt(clock.now(), clock.now(), f"{type(error).__name__}: {error}")
                self._stopped, self._crashed = None, False
            tries.append(attempt)
            if problem is None or len(tries) >= policy.max_attempts or not policy.retries(problem):
                times = tries[0].started_at, attempt.ended_at
                return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
            self._outside(clock.sleep, policy.interval(len(tries) - 1))
