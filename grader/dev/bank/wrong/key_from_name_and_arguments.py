"""The same call with the same arguments is the same call.

The key is made from the activity's name and its arguments, so two equal payments share it.
Kim's two parcels cost 30 each; the bank takes the second payment for a repetition of the first.
"""

BELIEF = "M4b"
TODO = 1
RULES = ("R11",)


class Context:
    def _perform(self, fn, name, args, policy):
        return self._try(fn, name, args, policy, f"{self.workflow_id}/{name}{_canonical(args)}", ())

    def _try(self, fn, name, args, policy, key, before):
        attempt, value, problem = self._attempt(fn, name, args, key)
        tries = (*before, attempt)
        if problem is not None and len(tries) < policy.max_attempts and policy.retries(problem):
            self._outside(self._engine.clock.sleep, policy.interval(len(before)))
            return self._try(fn, name, args, policy, key, tries)
        times = tries[0].started_at, attempt.ended_at
        return Command("activity", name, args, problem is None, value, attempt.error, tries, *times)
