"""An activity that fails has failed.

It is called once, whatever the policy says, and its failure is recorded.
The bank was busy for a second, and the refund has failed.
"""

BELIEF = "M12o"
TODO = 1
RULES = ("R12",)


class Context:
    def _perform(self, fn, name, args, policy):
        attempt, value, problem = self._attempt(fn, name, args, f"{self.workflow_id}/{self._position}")
        times = attempt.started_at, attempt.ended_at
        return Command("activity", name, args, problem is None, value, attempt.error, (attempt,), *times)
