"""The workflow should get the activity's own exception.

Live, the original exception is raised; on replay only its text is left, so it is an ActivityError.
The first run takes one `except` branch and the replay another.
"""

BELIEF = "M22d"
TODO = 1
RULES = ("R6", "R13")


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        command = self._ask("activity", name, sent)
        if command is None:
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
            if command.error is not None:
                raise self._problem
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)

    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        tries = []
        while True:
            attempt, value, self._problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            if self._problem is None or len(tries) >= policy.max_attempts or not policy.retries(self._problem):
                times = tries[0].started_at, attempt.ended_at
                ok = self._problem is None
                return Command("activity", name, args, ok, value, attempt.error, tuple(tries), *times)
            self._engine.clock.sleep(policy.interval(len(tries) - 1))
