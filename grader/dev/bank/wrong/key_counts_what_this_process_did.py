"""The key numbers the calls that the engine makes.

A counter starts at 0 in every process and counts the activities that really run.
After a crash the counter starts at 0 again: the payment in flight gets the key of another step.
"""

BELIEF = "M4a"
TODO = 1
RULES = ("R11",)


class Context:
    def _perform(self, fn, name, args, policy):
        self._performed = getattr(self, "_performed", -1) + 1
        key = f"{self.workflow_id}/{self._performed}"
        tries = []
        while True:
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            if problem is None or len(tries) >= policy.max_attempts or not policy.retries(problem):
                times = tries[0].started_at, attempt.ended_at
                return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
            self._engine.clock.sleep(policy.interval(len(tries) - 1))
