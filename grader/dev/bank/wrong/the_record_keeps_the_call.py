"""The record says what the workflow passed, so it holds those objects.

The record is rebuilt with the workflow's own arguments in it.
The workflow adds more to its basket, and history says that all of it was in the first parcel.
"""

from dataclasses import replace

BELIEF = "M23c"
TODO = 1
RULES = ("R5",)


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        command = self._ask("activity", name, sent)
        if command is None:
            done = self._perform(fn, name, sent, retry or self._engine.retry)
            command = self._record(replace(done, args=[*args]))
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
