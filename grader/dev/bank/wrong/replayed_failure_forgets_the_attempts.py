"""A replayed failure made no attempts, so it says 1.

The number of attempts is known live, and invented on replay.
Monday's e-mail says "gave up after 2 attempts", and Tuesday's says "after 1 attempt".
"""

BELIEF = "M22e"
TODO = 1
RULES = ("R6",)


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        command = self._ask("activity", name, sent)
        attempts = 1
        if command is None:
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
            attempts = len(command.tries)
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, attempts)
        return deepcopy(command.value)
