"""The engine's policy overrides that of a single call.

The engine's policy is used, and that of the call only if the engine has none; it always has one.
The step that must not be tried twice is tried three times.
"""

BELIEF = "M12i"
TODO = 1
RULES = ("R12",)


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        policy = next(policy for policy in (self._engine.retry, retry, RetryPolicy()) if policy is not None)
        command = self._ask("activity", name, sent) or self._record(self._perform(fn, name, sent, policy))
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
