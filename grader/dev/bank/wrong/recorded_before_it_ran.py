"""A call that is recorded first happens exactly once.

The record is made before the activity runs, and its value is filled in afterwards.
The process dies in between: the payment counts as made, but is never made.
"""

BELIEF = "M4e"
TODO = 1
RULES = ("R1",)


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        command = self._ask("activity", name, sent)
        if command is None:
            self._record(Command("activity", name, sent))
            self._position -= 1
            command = self._perform(fn, name, sent, retry or self._engine.retry)
            self._history[self._position] = command
            self._position += 1
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
