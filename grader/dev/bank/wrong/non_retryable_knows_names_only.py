"""Errors are distinguished by their names.

The name of the error's own type is looked for among the non-retryable ones; a class there is never found.
The policy says Declined, and a declined card is tried five times.
"""

BELIEF = "M12e"
TODO = 1
RULES = ("R12",)


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        tries, final = [], False
        while not final:
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            kind = type(problem).__name__
            final = problem is None or kind in policy.non_retryable or kind == "UnrecordableError"
            final = final or len(tries) >= policy.max_attempts
            if not final:
                self._outside(self._engine.clock.sleep, policy.interval(len(tries) - 1))
        times = tries[0].started_at, attempt.ended_at
        return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
