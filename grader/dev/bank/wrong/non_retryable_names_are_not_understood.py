"""non_retryable holds exception classes.

The code uses isinstance on the classes and forgets that the policy may also hold names.
The policy that says "Declined" has no effect, and a declined card is tried five times.
"""

BELIEF = "M12e"
TODO = 1
RULES = ("R12",)


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        final = (UnrecordableError, *[c for c in policy.non_retryable if isinstance(c, type)])
        tries = []
        while True:
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            if problem is None or len(tries) >= policy.max_attempts or isinstance(problem, final):
                times = tries[0].started_at, attempt.ended_at
                return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
            self._engine.clock.sleep(policy.interval(len(tries) - 1))
