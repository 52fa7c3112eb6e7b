"""The cause is what came first; the rest follows from it.

The first error is kept, and the later ones are ignored.
The last answer of the bank was "account closed"; the customer reads "line busy".
"""

BELIEF = "M12m"
TODO = 1
RULES = ("R6",)


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        tries, cause = [], None
        while True:
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            cause = cause or problem
            if problem is None or len(tries) >= policy.max_attempts or not policy.retries(problem):
                break
            self._outside(self._engine.clock.sleep, policy.interval(len(tries) - 1))
        error = f"{type(cause).__name__}: {cause}" if problem is not None else None
        times = tries[0].started_at, attempt.ended_at
        return Command("activity", name, args, error is None, value, error, tuple(tries), *times)
