"""A record with a failure in it is the record of a failure.

The error of the record is the last one that any attempt had, and a record with an error is not ok.
The money was paid at the third attempt, and the workflow is told that it was not.
"""

BELIEF = "M12l"
TODO = 1
RULES = ("R6", "R12")


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        tries = []
        for k in range(policy.max_attempts):
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            if problem is None or not policy.retries(problem):
                break
            if k < policy.max_attempts - 1:
                self._outside(self._engine.clock.sleep, policy.interval(k))
        errors = [attempt.error for attempt in tries if attempt.error is not None]
        error = errors[-1] if errors else None
        times = tries[0].started_at, attempt.ended_at
        return Command("activity", name, args, not errors, value, error, tuple(tries), *times)
