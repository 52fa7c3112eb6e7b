"""The activity's name says which call it is.

The key is "<workflow_id>/<name>", so two payments of one workflow share it.
The bank takes the second payment for a repetition of the first, and does not pay.
"""

BELIEF = "M4b"
TODO = 1
RULES = ("R11",)


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{name}"
        tries = []
        while True:
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            if problem is None or len(tries) >= policy.max_attempts or not policy.retries(problem):
                times = tries[0].started_at, attempt.ended_at
                return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
            self._engine.clock.sleep(policy.interval(len(tries) - 1))
