"""A pause is a sleep of the process, and a long one is cut.

The pauses between attempts are slept for real, each for ten seconds at most.
The worker sleeps with each order whose bank is busy, and the clock of a test does not move.
"""

import time

BELIEF = "M8b"
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
                break
            time.sleep(min(policy.interval(len(tries) - 1), 10.0))
        times = tries[0].started_at, attempt.ended_at
        return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
