"""How many attempts there were is a setting.

The run that performs an activity counts its attempts; a replay takes the number from the policy of today.
The policy was changed, and the same failure is told in another way after a restart.
"""

BELIEF = "M12n"
TODO = 1
RULES = ("R6",)


class Context:
    def call_activity(self, fn, *args, retry=None):
        fn, name, sent = _identify(fn, args, retry)
        command = self._ask("activity", name, sent)
        replayed = command is not None
        if not replayed:
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
        if command.ok:
            return deepcopy(command.value)
        error_type, _, message = command.error.partition(": ")
        attempts = (retry or self._engine.retry).max_attempts if replayed else len(command.tries)
        raise ActivityError(name, error_type, message, attempts)
