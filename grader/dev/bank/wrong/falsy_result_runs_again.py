"""If there is no value, there is no result.

The code asks `if command and command.value`, so a recorded None, 0, "" or False counts as "not recorded".
A free order is charged again each time its run is replayed.
"""

BELIEF = "M20a"
TODO = 1
RULES = ("R2",)


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        command = self._ask("activity", name, sent)
        if command and command.value:
            return deepcopy(command.value)
        if not command or command.ok:
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
