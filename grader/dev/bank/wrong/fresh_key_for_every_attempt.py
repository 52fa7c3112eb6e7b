"""Every attempt is a call of its own, so it has its own idempotency key.

The key ends with the number of the attempt.
The first attempt paid and lost its answer; the bank takes the second one for a new payment.
"""

BELIEF = "M4a"
TODO = 1
RULES = ("R11",)


class Context:
    def _perform(self, fn, name, args, policy):
        tries = []
        while True:
            key = f"{self.workflow_id}/{self._position}"
            if tries:
                key += f"/{len(tries) + 1}"
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            if problem is None or len(tries) >= policy.max_attempts or not policy.retries(problem):
                times = tries[0].started_at, attempt.ended_at
                return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
            self._engine.clock.sleep(policy.interval(len(tries) - 1))
