"""A success may be reported twice.

A success is recorded, and written to the journal again when the value is returned.
The history on disk has every step twice; the next process finds a step where it expects another.
"""

BELIEF = "M14d"
TODO = 1
RULES = ("R1", "R6")


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        command = self._ask("activity", name, sent)
        if command is None:
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
            if command.ok:
                self._outside(self._engine.journal, command)
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
