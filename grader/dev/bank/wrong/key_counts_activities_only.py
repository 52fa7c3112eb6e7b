"""Only activities matter for the key, so only they are counted.

The number in the key is that of the activity among the activities; waits and times do not count.
The key names another position than the history does.
"""

BELIEF = "M4f"
TODO = 1
RULES = ("R11",)


class Context:
    def _perform(self, fn, name, args, policy):
        number = sum(command.kind == "activity" for command in self._history)
        key = f"{self.workflow_id}/{number}"
        tries = []
        while True:
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            if problem is None or len(tries) >= policy.max_attempts or not policy.retries(problem):
                times = tries[0].started_at, attempt.ended_at
                return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
            self._engine.clock.sleep(policy.interval(len(tries) - 1))
