"""The list of commands is the history.

An outcome is appended to the list in memory, but not written to the journal.
The process dies, and the record of everything that it did is lost.
"""

BELIEF = "M14c"
TODO = 1
RULES = ("R1",)


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        command = self._ask("activity", name, sent)
        if command is None:
            command = self._perform(fn, name, sent, retry or self._engine.retry)
            self._history.append(command)
            self._position += 1
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
