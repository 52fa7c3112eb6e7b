"""An activity that failed has used all of its attempts.

The error says `max_attempts` of the policy, also if an error was final at the first attempt.
The letter to the customer says that the bank was asked three times; it was asked once.
"""

BELIEF = "M12n"
TODO = 1
RULES = ("R6", "R5")


class Context:
    def call_activity(self, fn, *args, retry=None):
        fn, name, sent = _identify(fn, args, retry)
        policy = retry or self._engine.retry
        command = self._ask("activity", name, sent)
        if command is None:
            command = self._record(self._perform(fn, name, sent, policy))
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, policy.max_attempts)
        return deepcopy(command.value)
