"""A call that needs retries says so.

A call without a policy of its own makes one attempt, whatever the engine's policy is.
The engine allows five attempts because the line is bad, but the first error fails the order.
"""

BELIEF = "M12j"
TODO = 1
RULES = ("R12",)


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        if retry is None:
            retry = RetryPolicy(max_attempts=1)
        command = self._ask("activity", name, sent)
        if command is None:
            command = self._perform(fn, name, sent, retry)
            self._record(command)
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
