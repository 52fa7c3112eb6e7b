"""The message of an error is what people read; its type is a detail.

The workflow gets "Exception" as the type of every failure.
The workflow that refunds after a TimeoutError never refunds.
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
            raise ActivityError(name, "Exception", command.error.partition(": ")[2], len(command.tries))
        return deepcopy(command.value)
