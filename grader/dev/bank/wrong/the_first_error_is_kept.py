"""The first error is the real one.

The record's error is that of the first attempt.
The last answer of the bank was "account closed"; the customer reads "line busy".
"""

BELIEF = "M12m"
TODO = 1
RULES = ("R6",)


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        tries = []
        while True:
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            if problem is None or len(tries) >= policy.max_attempts or not policy.retries(problem):
                error = None if problem is None else tries[0].error
                times = tries[0].started_at, attempt.ended_at
                return Command("activity", name, args, problem is None, value, error, tuple(tries), *times)
            self._engine.clock.sleep(policy.interval(len(tries) - 1))
