"""The text in the record is the message.

The workflow gets the type, and as the message the whole text with the type in front.
A workflow that compares the message with `closed` never finds it.
"""

BELIEF = "M22m"
TODO = 1
RULES = ("R6",)


class Context:
    def call_activity(self, fn, *args, retry=None):
        fn, name, sent = _identify(fn, args, retry)
        command = self._ask("activity", name, sent)
        if command is None:
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
        if command.error is not None:
            raise ActivityError(name, command.error.partition(": ")[0], command.error, len(command.tries))
        return deepcopy(command.value)
