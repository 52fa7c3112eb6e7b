"""A call without a policy of its own is made twice at most.

The policy of the engine is not looked at.
The shop allows five attempts, because its connection is bad, and its orders fail after two.
"""

BELIEF = "M12j"
TODO = 1
RULES = ("R12",)


class Context:
    def call_activity(self, fn, *args, retry=None):
        fn, name, sent = _identify(fn, args, retry)
        command = self._ask("activity", name, sent)
        if command is None:
            policy = retry or RetryPolicy(max_attempts=2, initial_interval=0.001)
            command = self._record(self._perform(fn, name, sent, policy))
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
