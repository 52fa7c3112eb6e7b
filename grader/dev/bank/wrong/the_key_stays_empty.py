"""A recorded step never runs again, so a key has no use.

Activities that ask for a key get None.
A crash between the payment and its record means two payments, and the bank cannot tell.
"""

BELIEF = "M4c"
TODO = 1
RULES = ("R11",)


class Context:
    def _perform(self, fn, name, args, policy):
        tries = []
        for k in range(policy.max_attempts):
            attempt, value, problem = self._attempt(fn, name, args, None)
            tries.append(attempt)
            if problem is None or not policy.retries(problem) or k == policy.max_attempts - 1:
                break
            self._outside(self._engine.clock.sleep, policy.interval(k))
        times = tries[0].started_at, attempt.ended_at
        return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
