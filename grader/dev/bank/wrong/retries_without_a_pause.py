"""If it failed, try again at once.

There is no sleep between two attempts.
Three attempts are over within a millisecond, long before the line is free again.
"""

BELIEF = "M12f"
TODO = 1
RULES = ("R12",)


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        tries = []
        for _ in range(policy.max_attempts):
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            if problem is None or not policy.retries(problem):
                break
        times = tries[0].started_at, attempt.ended_at
        return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
