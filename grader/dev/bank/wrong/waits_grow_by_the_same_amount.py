"""Each wait is a bit longer than the one before.

The wait is the first one times the number of the attempt: 1, 2, 3, 4, and not 1, 2, 4, 8.
Kim was told when the next attempt is due, and it comes at another time.
"""

BELIEF = "M12h"
TODO = 1
RULES = ("R12",)


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        tries = []
        for number in range(1, policy.max_attempts + 1):
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            if problem is None or not policy.retries(problem) or number == policy.max_attempts:
                break
            pause = min(policy.initial_interval * number, policy.max_interval)
            self._outside(self._engine.clock.sleep, pause)
        times = tries[0].started_at, attempt.ended_at
        return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
