"""One attempt calls the next: no loop anywhere."""


class Context:
    def _perform(self, fn, name, args, policy):
        return self._try(fn, name, args, policy, ())

    def _try(self, fn, name, args, policy, before):
        attempt, value, problem = self._attempt(fn, name, args, f"{self.workflow_id}/{self._position}")
        tries = (*before, attempt)
        if problem is None:
            return Command("activity", name, args, True, value, None, tries, tries[0].started_at, attempt.ended_at)
        if len(tries) == policy.max_attempts or not policy.retries(problem):
            start, end = tries[0].started_at, attempt.ended_at
            return Command("activity", name, args, False, None, attempt.error, tries, start, end)
        self._engine.clock.sleep(policy.interval(len(before)))
        return self._try(fn, name, args, policy, tries)
