"""The workflow knows its activities' own exceptions best.

_perform records the failure, and raises the exception that the activity raised.
The first run takes the branch `except TimeoutError`, and the replay takes another.
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
            command = self._perform(fn, name, sent, retry or self._engine.retry)
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)

    def _perform(self, fn, name, args, policy):
        key, tries = f"{self.workflow_id}/{self._position}", []
        while True:
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            times = tries[0].started_at, attempt.ended_at
            if problem is None:
                return self._record(Command("activity", name, args, True, value, None, tuple(tries), *times))
            if len(tries) >= policy.max_attempts or not policy.retries(problem):
                self._record(Command("activity", name, args, False, None, attempt.error, tuple(tries), *times))
                raise problem
            self._outside(self._engine.clock.sleep, policy.interval(len(tries) - 1))
