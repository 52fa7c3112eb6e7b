"""After a failure comes a wait, always.

The loop sleeps before it checks whether another attempt is left.
The customer hears of the failure minutes late, after a useless wait.
"""

BELIEF = "M12g"
TODO = 1
RULES = ("R12",)


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        tries = []
        for k in range(policy.max_attempts):
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            if problem is None or not policy.retries(problem):
                break
            self._engine.clock.sleep(policy.interval(k))
        times = tries[0].started_at, attempt.ended_at
        return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
