"""After dumps and loads, every value is JSON.

The activity is wrapped, so that its result goes through json.dumps and json.loads; the key 1 becomes "1".
`prices[1]` finds nothing, though the activity returned it.
"""

from functools import wraps

BELIEF = "M21e"
TODO = 1
RULES = ("R5",)


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        tries = []

        @wraps(fn)
        def fit(*given, **more):
            return json.loads(json.dumps(fn(*given, **more)))

        while True:
            attempt, value, problem = self._attempt(fit, name, args, key)
            tries.append(attempt)
            if problem is None or len(tries) >= policy.max_attempts or not policy.retries(problem):
                times = tries[0].started_at, attempt.ended_at
                return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
            self._outside(self._engine.clock.sleep, policy.interval(len(tries) - 1))
