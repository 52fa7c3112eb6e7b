"""A call that is not in history has to be made.

call_activity catches the divergence, forgets the rest of history and calls the activity.
The old charge remains at the bank and the new one is added: the customer pays twice.
"""

BELIEF = "M7a"
TODO = 1
RULES = ("R3",)


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        try:
            command = self._ask("activity", name, sent)
        except NonDeterminismError:
            self._stopped, command = None, None
            self._history[self._position :] = []
        if command is None:
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
