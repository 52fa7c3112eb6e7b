"""On replay it is enough that some error is raised.

A recorded failure is raised as a RuntimeError with the recorded text.
`except ActivityError` catches the failure in the first run and misses it after a restart: no compensation.
"""

BELIEF = "M22e"
TODO = 1
RULES = ("R6",)


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        command = self._ask("activity", name, sent)
        if command is not None and not command.ok:
            raise RuntimeError(command.error)
        if command is None:
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
