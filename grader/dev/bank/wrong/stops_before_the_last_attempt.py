"""When the number of attempts reaches the limit, it is too late for another one.

The loop goes on only while one more than the next attempt would still be allowed.
The payment that would have gone through at the third attempt fails after the second.
"""

BELIEF = "M12b"
TODO = 1
RULES = ("R12",)


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        tries = []
        left = policy.max_attempts
        while True:
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            left -= 1
            if problem is None or left <= 1 or not policy.retries(problem):
                times = tries[0].started_at, attempt.ended_at
                return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
            self._outside(self._engine.clock.sleep, policy.interval(len(tries) - 1))
