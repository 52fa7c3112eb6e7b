"""The next answer may be a better one.

_perform knows the non-retryable errors of the policy, but retries after a result that JSON cannot represent.
The money was paid at each of the three attempts, and none of them could be recorded.
"""

BELIEF = "M12k"
TODO = 1
RULES = ("R5",)


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        final = {getattr(kind, "__name__", kind) for kind in policy.non_retryable}
        tries = []
        while True:
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            hopeless = final & {kind.__name__ for kind in type(problem).__mro__}
            if problem is None or hopeless or len(tries) >= policy.max_attempts:
                times = tries[0].started_at, attempt.ended_at
                return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
            self._outside(self._engine.clock.sleep, policy.interval(len(tries) - 1))
