"""A step must succeed before the next one can begin.

The loop checks only whether the error is final, never how many attempts there were.
The bank is closed for the weekend, and the worker calls it again and again.
"""

BELIEF = "M12c"
TODO = 1
RULES = ("R12", "R6")


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        attempt, value, problem = self._attempt(fn, name, args, key)
        tries = [attempt]
        while problem is not None and policy.retries(problem):
            self._outside(self._engine.clock.sleep, policy.interval(len(tries) - 1))
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
        times = tries[0].started_at, attempt.ended_at
        return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
