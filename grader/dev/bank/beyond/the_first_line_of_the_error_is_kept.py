"""One line is enough for a record.

The error in the record is the first line of what the activity raised.
History says `closed:`, and no record says what was closed.
"""

BELIEF = "M22n"
TODO = 1
RULES = ("R6",)


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        tries = []
        while True:
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            if problem is None or len(tries) >= policy.max_attempts or not policy.retries(problem):
                break
            self._engine.clock.sleep(policy.interval(len(tries) - 1))
        text = attempt.error.split("\n")[0] if problem is not None else None
        times = tries[0].started_at, attempt.ended_at
        return Command("activity", name, args, problem is None, value, text, tuple(tries), *times)
