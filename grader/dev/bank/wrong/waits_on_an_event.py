"""A wait is a wait, whatever the clock.

Between two attempts the thread waits on an event that never comes, in real seconds.
A worker is blocked for minutes; a test of a day's back-off takes a day.
"""

import threading

BELIEF = "M8b"
TODO = 1
RULES = ("R12",)


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        tries, problem = [], None
        for k in range(policy.max_attempts):
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            if problem is None or not policy.retries(problem):
                break
            if k + 1 < policy.max_attempts:
                threading.Event().wait(policy.interval(k))
        times = tries[0].started_at, attempt.ended_at
        return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
