"""The workflow decides whether to call an activity again.

The loop over the attempts ends after the first one, with or without a failure.
A workflow without a loop of its own gives up at the first busy line.
"""

BELIEF = "M12o"
TODO = 1
RULES = ("R12",)


class Context:
    def _perform(self, fn, name, args, policy):
        tries = []
        for _ in range(policy.max_attempts):
            attempt, value, problem = self._attempt(fn, name, args, f"{self.workflow_id}/{self._position}")
            tries.append(attempt)
            if problem is not None:
                break
            times = attempt.started_at, attempt.ended_at
            return Command("activity", name, args, True, value, None, tuple(tries), *times)
        times = attempt.started_at, attempt.ended_at
        return Command("activity", name, args, False, None, attempt.error, tuple(tries), *times)
