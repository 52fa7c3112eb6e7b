"""The attempts have times, so the command needs none.

The record of an activity keeps 0 for its beginning and its end.
The timeline draws every step at the beginning of time.
"""

BELIEF = "M14t"
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
        return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries))
