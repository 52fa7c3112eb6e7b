"""Only a fresh value needs a copy; history is only read.

Live, the workflow gets a copy; on replay, the record's own value.
A second replay of an old run changes its history.
"""

BELIEF = "M23a"
TODO = 1
RULES = ("R10", "R5")


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        command = self._ask("activity", name, sent)
        if command is not None and command.ok:
            return command.value
        if command is None:
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
