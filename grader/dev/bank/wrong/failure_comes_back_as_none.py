"""An activity that failed simply has no value.

call_activity returns the value of the record, which is None for a failed one.
The workflow goes on as if the payment had worked, and ships.
"""

BELIEF = "M17c"
TODO = 1
RULES = ("R6", "R13")


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        command = self._ask("activity", name, sent)
        if command is None:
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
        return deepcopy(command.value)
