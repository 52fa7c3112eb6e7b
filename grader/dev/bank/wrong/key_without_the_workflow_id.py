"""The position is enough for a key.

The key is the position alone, the same in every run.
The second customer's refund has the first one's key, and the bank does not pay it.
"""

BELIEF = "M4b"
TODO = 1
RULES = ("R11",)


class Context:
    def _perform(self, fn, name, args, policy):
        key = str(self._position)
        tries = []
        while True:
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            if problem is None or len(tries) >= policy.max_attempts or not policy.retries(problem):
                times = tries[0].started_at, attempt.ended_at
                return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
            self._engine.clock.sleep(policy.interval(len(tries) - 1))
