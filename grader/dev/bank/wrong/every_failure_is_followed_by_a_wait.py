"""Every failure is followed by a pause.

The engine sleeps as soon as it catches the failure, before it checks whether another attempt follows.
A card is declined at once, but the customer hears of it only after a useless wait.
"""

BELIEF = "M12g"
TODO = 1
RULES = ("R12",)


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        tries = []
        while len(tries) < policy.max_attempts:
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            if problem is None:
                break
            self._outside(self._engine.clock.sleep, policy.interval(len(tries) - 1))
            if not policy.retries(problem):
                break
        times = tries[0].started_at, attempt.ended_at
        return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
