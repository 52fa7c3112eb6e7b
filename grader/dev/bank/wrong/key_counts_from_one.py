"""The first step of a run is step 1.

The number in the key is the position plus one.
History says position 0 and the bank says step 1: an audit matches the wrong entries.
"""

BELIEF = "M4f"
TODO = 1
RULES = ("R11",)


class Context:
    def _perform(self, fn, name, args, policy):
        step = len(self._history) + 1
        tries = []
        while True:
            attempt, value, problem = self._attempt(fn, name, args, f"{self.workflow_id}/{step}")
            tries.append(attempt)
            if problem is None or len(tries) == policy.max_attempts or not policy.retries(problem):
                break
            self._outside(self._engine.clock.sleep, policy.interval(len(tries) - 1))
        times = tries[0].started_at, attempt.ended_at
        return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
