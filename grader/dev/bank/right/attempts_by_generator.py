"""A generator makes the attempts and sleeps between them; the caller takes as many as it likes."""

from itertools import islice


class Context:
    def _attempts(self, fn, name, args, policy):
        key, k = f"{self.workflow_id}/{self._position}", 0
        while True:
            yield self._attempt(fn, name, args, key)
            self._engine.clock.sleep(policy.interval(k))
            k += 1

    def _perform(self, fn, name, args, policy):
        tries = []
        for attempt, value, problem in islice(self._attempts(fn, name, args, policy), policy.max_attempts):
            tries.append(attempt)
            if problem is None or not policy.retries(problem):
                break
        times = tries[0].started_at, attempt.ended_at
        return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
