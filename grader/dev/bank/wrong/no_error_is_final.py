"""Persistence pays.

The loop looks at the number of attempts and never at the error.
A card that was declined is charged again and again, and the bank locks it.
"""

BELIEF = "M12d"
TODO = 1
RULES = ("R12", "R5")


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        tries = []
        for k in range(policy.max_attempts):
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            if problem is None:
                break
            if k + 1 < policy.max_attempts:
                self._outside(self._engine.clock.sleep, policy.interval(k))
        ok, times = problem is None, (tries[0].started_at, attempt.ended_at)
        return Command("activity", name, args, ok, value, attempt.error, tuple(tries), *times)
