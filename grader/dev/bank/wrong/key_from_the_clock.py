"""A key with the time in it is unique.

The key is made from the time at which the activity is called, so it is different after a crash.
The payment that was in flight at the power cut is made a second time.
"""

BELIEF = "M4a"
TODO = 1
RULES = ("R11",)


class Context:
    def _perform(self, fn, name, args, policy):
        began, tries, problem = self._engine.clock.now(), [], None
        key = f"{self.workflow_id}-{name}-{began}"
        for k in range(policy.max_attempts):
            if k > 0:
                self._outside(self._engine.clock.sleep, policy.interval(k - 1))
                key = f"{self.workflow_id}-{name}-{self._engine.clock.now()}"
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            if problem is None or not policy.retries(problem):
                break
        return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), began)
