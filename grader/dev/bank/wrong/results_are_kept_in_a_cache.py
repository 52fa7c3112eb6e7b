"""A known result need not be computed twice.

call_activity keeps a dictionary from the call to its result, and looks there first.
Two draws in a lottery give the same number; the second of two equal payments is never made.
"""

BELIEF = "M5a"
TODO = 1
RULES = ("R2", "R6")


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        known = self.__dict__.setdefault("_known", {})
        call = f"{name}({_canonical(sent)})"
        if call in known:
            return deepcopy(known[call])
        command = self._ask("activity", name, sent)
        if command is None:
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        known[call] = command.value
        return deepcopy(command.value)
