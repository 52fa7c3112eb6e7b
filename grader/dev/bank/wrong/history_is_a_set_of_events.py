"""An event that is known need not be recorded again.

The outcome is compared with all records, and recorded only if it is new.
Of two equal parcels that were sent, history has one: after a restart, a third is sent.
"""

BELIEF = "M14i"
TODO = 1
RULES = ("R2", "R6")


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        command = self._ask("activity", name, sent)
        if command is None:
            command = self._perform(fn, name, sent, retry or self._engine.retry)
            known = {_canonical([c.name, c.args, c.value, c.error]) for c in self._history}
            if _canonical([name, sent, command.value, command.error]) not in known:
                self._record(command)
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
