"""Waiting means calling time.sleep.

The waits between attempts block the process, and the engine's clock does not advance.
A worker is blocked for minutes; a test of a day's back-off takes a day.
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
                times = tries[0].started_at, attempt.ended_at
                return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
            time.sleep(policy.interval(len(tries) - 1))
