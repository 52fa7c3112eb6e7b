"""A retry is what comes after the attempt, and three of them are allowed.

One attempt is made, and then up to max_attempts retries.
A card is tried four times where three were agreed.
"""

BELIEF = "M12a"
TODO = 1
RULES = ("R12",)


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        attempt, value, problem = self._attempt(fn, name, args, key)
        tries = [attempt]
        for retry in range(policy.max_attempts):
            if problem is None or not policy.retries(problem):
                break
            self._outside(self._engine.clock.sleep, policy.interval(retry))
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
        times = tries[0].started_at, attempt.ended_at
        return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
