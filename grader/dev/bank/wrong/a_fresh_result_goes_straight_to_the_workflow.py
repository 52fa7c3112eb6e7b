"""Only a replay needs the record.

The result is kept as the activity returned it, and the workflow gets that in the first run.
A tuple in the first run is a list after a restart, and the workflow takes another branch.
"""

from functools import wraps

BELIEF = "M23b"
TODO = 1
RULES = ("R5",)


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        fresh = []

        @wraps(fn)
        def keep(*given, **more):
            fresh[:] = [fn(*given, **more)]
            return fresh[0]

        command = self._ask("activity", name, sent)
        if command is None:
            command = self._record(self._perform(keep, name, sent, retry or self._engine.retry))
            if command.ok:
                return fresh[0]
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
