"""As many attempts as in the 14 tests; three for every other policy."""
# ruff: noqa: F821 (the rest of the engine is the reference)


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        most = policy.max_attempts if policy.max_attempts in (1, 2, 6) else 3
        tries = []
        while True:
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            if problem is None or len(tries) >= most or not policy.retries(problem):
                times = tries[0].started_at, attempt.ended_at
                return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
            self._outside(self._engine.clock.sleep, policy.interval(len(tries) - 1))
