"""Arguments are fixed when the call is made.

The function is bound to the arguments of the record, and every attempt calls that.
What the failed attempt took out of the basket is missing in the second one, and in history.
"""

from functools import partial

BELIEF = "M11a"
TODO = 1
RULES = ("R5",)


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        bound, tries = partial(fn, *args), []
        while True:
            attempt, value, problem = self._attempt(bound, name, [], key)
            tries.append(attempt)
            if problem is None or len(tries) >= policy.max_attempts or not policy.retries(problem):
                times = tries[0].started_at, attempt.ended_at
                return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
            self._outside(self._engine.clock.sleep, policy.interval(len(tries) - 1))
