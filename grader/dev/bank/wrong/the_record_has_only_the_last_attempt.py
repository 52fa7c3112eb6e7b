"""Only the last attempt counts.

`tries` holds one Attempt, the final one.
An audit sees one attempt where the bank saw three.
"""

BELIEF = "M14b"
TODO = 1
RULES = ("R6",)


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        made = 0
        while True:
            attempt, value, problem = self._attempt(fn, name, args, key)
            made += 1
            if problem is None or made >= policy.max_attempts or not policy.retries(problem):
                times = attempt.started_at, attempt.ended_at
                return Command("activity", name, args, problem is None, value, attempt.error, (attempt,), *times)
            self._engine.clock.sleep(policy.interval(made - 1))
