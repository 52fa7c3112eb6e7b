"""Every value can be recorded somehow.

A value that JSON cannot represent is silently converted to a string before the activity gets it.
Kim returned two items; the shop's program gets one long string with braces in it, and accepts neither.
"""

BELIEF = "M14g"
TODO = 1
RULES = ("R5",)


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = json.loads(json.dumps(args, default=str))
        command = self._ask("activity", name, sent)
        if command is None:
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
