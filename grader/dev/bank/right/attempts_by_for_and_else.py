"""A `for` over the attempts with an `else` for the case that all of them failed; the sleep comes before an attempt."""


class Context:
    def _perform(self, fn, name, args, policy):
        tries = []
        for k in range(policy.max_attempts):
            if k:
                self._engine.clock.sleep(policy.interval(k - 1))
            attempt, value, problem = self._attempt(fn, name, args, f"{self.workflow_id}/{self._position}")
            tries.append(attempt)
            if problem is None:
                ok, error = True, None
                break
            if not policy.retries(problem):
                ok, error = False, attempt.error
                break
        else:
            ok, error = False, tries[-1].error
        return Command(
            kind="activity",
            name=name,
            args=args,
            ok=ok,
            value=value if ok else None,
            error=error,
            tries=tuple(tries),
            started_at=tries[0].started_at,
            ended_at=tries[-1].ended_at,
        )
