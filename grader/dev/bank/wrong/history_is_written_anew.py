"""Every run writes its own history.

The records in history are appended to it again, and the run continues from there.
History doubles with every restart; the run ends in a divergence although the code is unchanged.
"""

BELIEF = "M25d"
TODO = 1
RULES = ("R2",)


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        command = self._ask("activity", name, sent)
        if command is not None:
            self._outside(self._engine.journal, command)
            self._history += [command]
        else:
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
