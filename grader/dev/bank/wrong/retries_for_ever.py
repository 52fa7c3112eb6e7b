"""A durable engine never gives up.

The loop ends only with a success; max_attempts is ignored.
A declined card is tried until the worker is stopped by hand.
"""

BELIEF = "M12c"
TODO = 1
RULES = ("R12", "R6")


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        tries = []
        while True:
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            if problem is None:
                times = tries[0].started_at, attempt.ended_at
                return Command("activity", name, args, True, value, None, tuple(tries), *times)
            self._engine.clock.sleep(policy.interval(len(tries) - 1))
