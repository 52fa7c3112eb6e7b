"""A wait between attempts is a wait; its length hardly matters.

Every wait is initial_interval long.
A service that is down is hammered by all runs at once, and stays down.
"""

BELIEF = "M12h"
TODO = 1
RULES = ("R12",)


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        tries = []
        while True:
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            if problem is None or len(tries) >= policy.max_attempts or not policy.retries(problem):
                times = tries[0].started_at, attempt.ended_at
                return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
            self._engine.clock.sleep(policy.initial_interval)
