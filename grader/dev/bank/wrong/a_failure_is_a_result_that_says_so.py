"""A failure is an answer, and answers are returned.

call_activity returns the text of the error instead of raising ActivityError.
The workflow takes the text for a receipt, and ships an order that was not paid.
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
        return deepcopy(command.value) if command.ok else command.error
