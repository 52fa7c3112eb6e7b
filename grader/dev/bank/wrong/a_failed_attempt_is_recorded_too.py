"""A good log leaves nothing out.

call_activity makes the attempts one by one and records each of them.
After a restart the workflow gets the first, failed attempt as the answer, and apologises although Kim was paid.
"""

BELIEF = "M14a"
TODO = 1
RULES = ("R6",)


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        policy = retry or self._engine.retry
        command, made = self._ask("activity", name, sent), 0
        while command is None:
            command = self._record(self._perform(fn, name, sent, policy))
            made += 1
            if command.error is not None and made < policy.max_attempts and policy.retries(self._problem):
                self._outside(self._engine.clock.sleep, policy.interval(made - 1))
                command = None
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)

    def _perform(self, fn, name, args, policy):
        attempt, value, self._problem = self._attempt(fn, name, args, f"{self.workflow_id}/{self._position}")
        times = attempt.started_at, attempt.ended_at
        return Command("activity", name, args, attempt.error is None, value, attempt.error, (attempt,), *times)
