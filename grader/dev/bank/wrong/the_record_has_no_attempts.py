"""The number of attempts does not matter.

The record holds the outcome and leaves `tries` empty.
An audit finds a payment without an attempt, where the bank saw three.
"""

BELIEF = "M14b"
TODO = 1
RULES = ("R6",)


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        began = self._engine.clock.now()
        for k in range(policy.max_attempts):
            attempt, value, problem = self._attempt(fn, name, args, key)
            if problem is None or not policy.retries(problem):
                break
            if k < policy.max_attempts - 1:
                self._outside(self._engine.clock.sleep, policy.interval(k))
        ended = self._engine.clock.now()
        return Command("activity", name, args, problem is None, value, attempt.error, started_at=began, ended_at=ended)
