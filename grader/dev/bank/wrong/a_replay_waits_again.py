"""A replay does what the run did, waits included.

The back-off between the recorded attempts is slept again.
The worker replays a hundred old runs, and is blocked for an hour.
"""

BELIEF = "M8a"
TODO = 1
RULES = ("R2",)


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        command = self._ask("activity", name, sent)
        policy = retry or self._engine.retry
        if command is None:
            command = self._record(self._perform(fn, name, sent, policy))
        else:
            for k in range(len(command.tries) - 1):
                self._engine.clock.sleep(policy.interval(k))
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
