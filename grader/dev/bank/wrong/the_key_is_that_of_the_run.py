"""One run, one key.

Every activity of a run gets the workflow's id as its key, and nothing else.
The bank knows the key from the first step, and accepts no other order of this run.
"""

BELIEF = "M4b"
TODO = 1
RULES = ("R11",)


class Context:
    def _perform(self, fn, name, args, policy):
        tries, value, problem = [], None, None
        while not tries or (problem and len(tries) < policy.max_attempts and policy.retries(problem)):
            if tries:
                self._outside(self._engine.clock.sleep, policy.interval(len(tries) - 1))
            attempt, value, problem = self._attempt(fn, name, args, self.workflow_id)
            tries.append(attempt)
        times = tries[0].started_at, tries[-1].ended_at
        return Command("activity", name, args, not problem, value, tries[-1].error, tuple(tries), *times)
