"""An error that happened belongs in the record.

The record of a call that succeeded at its third attempt contains the error of the second one.
The money was paid, and the workflow is told that it was not.
"""

BELIEF = "M12l"
TODO = 1
RULES = ("R6", "R12")


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        tries, last_error = [], None
        while True:
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            last_error = attempt.error or last_error
            if problem is None or len(tries) >= policy.max_attempts or not policy.retries(problem):
                times = tries[0].started_at, attempt.ended_at
                return Command("activity", name, args, problem is None, value, last_error, tuple(tries), *times)
            self._engine.clock.sleep(policy.interval(len(tries) - 1))
