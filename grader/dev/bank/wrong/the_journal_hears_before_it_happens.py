"""An entry that is made first cannot be forgotten.

The call is written to the journal before the activity runs; the outcome is kept in memory only.
The process dies in between: the payment is in the journal, but is never made.
"""

BELIEF = "M4e"
TODO = 1
RULES = ("R1", "R6")


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        command = self._ask("activity", name, sent)
        if command is None:
            self._outside(self._engine.journal, Command("activity", name, sent))
            command = self._perform(fn, name, sent, retry or self._engine.retry)
            self._history.append(command)
            self._position += 1
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
