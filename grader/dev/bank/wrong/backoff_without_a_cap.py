"""Back-off is doubling, and nothing else.

The wait is computed by hand, and max_interval is ignored.
After ten failures the next attempt is a week away.
"""

BELIEF = "M12h"
TODO = 1
RULES = ("R12",)


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        tries, wait = [], policy.initial_interval
        while True:
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            if problem is None or len(tries) >= policy.max_attempts or not policy.retries(problem):
                times = tries[0].started_at, attempt.ended_at
                return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
            self._engine.clock.sleep(wait)
            wait = wait * policy.backoff
