"""A step is recorded when it is over, so that is its time.

Beginning and end of a record are the time at which the last attempt ended.
A payment that took an hour seems to have taken no time.
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
        ended = tries[-1].ended_at
        error = None if problem is None else attempt.error
        return Command("activity", name, args, error is None, value, error, tuple(tries), ended, ended)
