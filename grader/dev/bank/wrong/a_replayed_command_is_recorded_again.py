"""Every outcome is recorded, wherever it comes from.

A record that was found in history is appended to it again.
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
        if command is None:
            command = self._perform(fn, name, sent, retry or self._engine.retry)
        else:
            self._position -= 1
        self._record(command)
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
