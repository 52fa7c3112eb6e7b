"""A name is written with a capital, so every answer of an activity is.

A result that is a string is stripped and written like a title before it is recorded.
The identifier that the bank returned is another one, and the bank does not know it.
"""

BELIEF = "M21g"
TODO = 1
RULES = ("R5", "R6")


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
        if isinstance(value, str):
            value = value.strip().title()
        times = tries[0].started_at, attempt.ended_at
        return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
