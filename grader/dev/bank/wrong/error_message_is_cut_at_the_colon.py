"""Type and message are split at the colon.

`split(": ")[1]` keeps only what stands between the first colon and the second.
"no answer: at all" is shown as "no answer".
"""

BELIEF = "M22c"
TODO = 1
RULES = ("R6",)


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        command = self._ask("activity", name, sent)
        if command is None:
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
        if command.error is not None:
            error_type, message = command.error.split(": ")[:2]
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
