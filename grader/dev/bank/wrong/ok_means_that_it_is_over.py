"""A failure that was recorded has been dealt with.

The record is built from keyword arguments, and `ok` is left at its default.
A reader of the history counts the failed payment as a success.
"""

BELIEF = "M22b"
TODO = 1
RULES = ("R6",)


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        made = {"kind": "activity", "name": name, "args": args, "tries": ()}
        for k in range(policy.max_attempts):
            if k:
                self._outside(self._engine.clock.sleep, policy.interval(k - 1))
            attempt, made["value"], problem = self._attempt(fn, name, args, key)
            made |= {"error": attempt.error, "tries": (*made["tries"], attempt)}
            if problem is None or not policy.retries(problem):
                break
        return Command(**made, started_at=made["tries"][0].started_at, ended_at=attempt.ended_at)
