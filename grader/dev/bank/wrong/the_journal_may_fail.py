"""The step has run; a missing record is only bad luck.

An error of the journal is caught, and the outcome goes to the list in memory.
The disk is full, the run continues, and after the next restart everything is paid again.
"""

BELIEF = "M14f"
TODO = 1
RULES = ("R1",)


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        command = self._ask("activity", name, sent)
        if command is None:
            command = self._perform(fn, name, sent, retry or self._engine.retry)
            with suppress(Exception):
                self._engine.journal(command)
            self._history.append(command)
            self._position += 1
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
