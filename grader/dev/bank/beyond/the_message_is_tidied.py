"""An error is easier to read in small letters and without spaces around it.

The message of an ActivityError is stripped and made lower case.
The workflow looks for `Declined` in the message, and does not find it.
"""

BELIEF = "M21g"
TODO = 1
RULES = ("R6",)


class Context:
    def call_activity(self, fn, *args, retry=None):
        fn, name, sent = _identify(fn, args, retry)
        command = self._ask("activity", name, sent)
        if command is None:
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
        if command.error is not None:
            error_type, message = (part.strip() for part in command.error.split(":", 1))
            raise ActivityError(name, error_type, message.lower(), len(command.tries))
        return deepcopy(command.value)
