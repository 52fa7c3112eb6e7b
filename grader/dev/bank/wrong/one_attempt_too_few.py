"""Counting from 1 up to max_attempts gives max_attempts attempts.

`range(1, max_attempts)` ends one early.
The payment that would have gone through at the third attempt fails; with one attempt allowed, nothing is tried.
"""

BELIEF = "M12b"
TODO = 1
RULES = ("R12",)


class Context:
    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        tries = []
        for number in range(1, policy.max_attempts):
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            if problem is None or not policy.retries(problem):
                break
            if number < policy.max_attempts - 1:
                self._engine.clock.sleep(policy.interval(number - 1))
        times = tries[0].started_at, tries[-1].ended_at
        return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
