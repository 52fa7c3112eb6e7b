"""A workflow would not change what history gave it.

The workflow gets the object that is in the record.
It appends to a list, and history has a value that no activity returned.
"""

BELIEF = "M23a"
TODO = 1
RULES = ("R5",)


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        command = self._ask("activity", name, sent)
        if command is None:
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return command.value
