"""After a restart the activities have run already, so they must not run again.

A run that starts with a history calls no activity: a command that is not recorded is recorded as None.
The power cut came before the payment; after the restart the payment is skipped.
"""

BELIEF = "M2a"
TODO = 1
RULES = ("R2", "R11")


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        if not hasattr(self, "_replaying"):
            self._replaying = len(self._history) > 0
        command = self._ask("activity", name, sent)
        if command is None and self._replaying:
            command = self._record(Command("activity", name, sent))
        elif command is None:
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
