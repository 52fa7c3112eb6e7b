"""The sooner the retry, the better.

The attempts are made by a function that calls itself, one right after the other.
Three attempts are over within a millisecond, long before the line is free again.
"""

BELIEF = "M12f"
TODO = 1
RULES = ("R12",)


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"

        def once_more(before):
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries = (*before, attempt)
            if problem is not None and policy.retries(problem) and len(tries) < policy.max_attempts:
                return once_more(tries)
            return tries, value, problem

        tries, value, problem = once_more(())
        times = tries[0].started_at, tries[-1].ended_at
        return Command("activity", name, args, problem is None, value, tries[-1].error, tries, *times)
