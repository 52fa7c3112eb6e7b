"""Replay is a second chance for a failed step.

A record that is not ok is not replayed: the activity is called again.
The trip was cancelled yesterday; today its car is booked after all.
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
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
        elif not command.ok:
            command = self._perform(fn, name, sent, retry or self._engine.retry)
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
