"""An activity that does not need the key can ignore it.

The key is bound to the function before the attempts, declared or not.
A plain function cannot be called with it, and the step fails three times with a TypeError.
"""

from functools import partial

BELIEF = "M4d"
TODO = 1
RULES = ("R11",)


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        keyed, tries = partial(fn, idempotency_key=key), []
        while True:
            attempt, value, problem = self._attempt(keyed, name, args, key)
            tries.append(attempt)
            if problem is None or len(tries) >= policy.max_attempts or not policy.retries(problem):
                times = tries[0].started_at, attempt.ended_at
                return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
            self._outside(self._engine.clock.sleep, policy.interval(len(tries) - 1))
