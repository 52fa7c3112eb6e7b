"""A failed activity has no result, so there is nothing to record.

The ActivityError is raised without a record.
After a restart the step runs again, and succeeds now: the trip is cancelled and booked.
"""

BELIEF = "M17a"
TODO = 1
RULES = ("R6",)


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
            self._record(command)
        return deepcopy(command.value)
