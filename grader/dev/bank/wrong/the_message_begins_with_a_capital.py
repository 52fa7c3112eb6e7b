"""A message is a sentence, and a sentence begins with a capital.

The message of an ActivityError is stripped, and written as a sentence.
The workflow compares it with what the bank says, and they differ.
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
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message.strip().capitalize(), len(command.tries))
        return deepcopy(command.value)
