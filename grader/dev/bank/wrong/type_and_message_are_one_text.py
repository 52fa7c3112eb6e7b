"""Type and message are one text for people.

The message is put together from the type and the text that follows it.
The letter to the customer quotes `TimeoutError` to her.
"""

BELIEF = "M22m"
TODO = 1
RULES = ("R6",)


class Context:
    def call_activity(self, fn, *args, retry=None):
        fn, name, sent = _identify(fn, args, retry)
        command = self._ask("activity", name, sent) or self._record(
            self._perform(fn, name, sent, retry or self._engine.retry)
        )
        if command.ok:
            return deepcopy(command.value)
        error_type, separator, text = command.error.partition(": ")
        raise ActivityError(name, error_type, "".join((error_type, separator, text)), len(command.tries))
