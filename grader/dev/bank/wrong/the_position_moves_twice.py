"""Every function that uses a record moves the position.

_record moves it, and call_activity moves it again.
The second step of a run reads beyond the end of history and fails.
"""

BELIEF = "M25a"
TODO = 1
RULES = ("R6", "R1")


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        command = self._ask("activity", name, sent)
        if command is None:
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
            self._position += 1
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
