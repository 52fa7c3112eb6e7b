"""A second run only reads what the first one did.

Once a record is read, no activity is called any more; a command that is not recorded returns None.
The power cut came before the payment; after the restart the payment is never made.
"""

BELIEF = "M2a"
TODO = 1
RULES = ("R2", "R11")


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        command = self._ask("activity", name, sent)
        if command is None:
            if self._position > 0 and not getattr(self, "_live", False):
                return None
            self._live = True
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
