"""History is a log, so every attempt goes into it.

Each attempt is recorded as a command of its own, including the failed ones.
After a restart the workflow gets the first, failed attempt as the answer, and apologises although Kim was paid.
"""

BELIEF = "M14a"
TODO = 1
RULES = ("R6",)


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        tries = []
        while True:
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            times = attempt.started_at, attempt.ended_at
            command = Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
            if problem is None or len(tries) >= policy.max_attempts or not policy.retries(problem):
                return command
            self._record(command)
            self._engine.clock.sleep(policy.interval(len(tries) - 1))
