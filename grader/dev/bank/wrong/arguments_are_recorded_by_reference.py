"""The arguments are what the workflow passed.

The record keeps the workflow's own lists and dictionaries.
The workflow adds more to its basket, and history says that all of it was in the first parcel.
"""

BELIEF = "M23c"
TODO = 1
RULES = ("R5",)


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        _check(args, f"{name}: args")
        sent = list(args)
        command = self._ask("activity", name, sent)
        if command is None:
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
