"""The text of an error is `Type: message`, and a pattern takes it apart.

The pattern's dot matches no line break, so a message of several lines ends with its first one.
The reason for the failure stood in the second line.
"""

import re

BELIEF = "M22n"
TODO = 1
RULES = ("R6",)


class Context:
    def call_activity(self, fn, *args, retry=None):
        fn, name, sent = _identify(fn, args, retry)
        command = self._ask("activity", name, sent)
        if command is None:
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
        if command.error is not None:
            error_type, message = re.match(r"(\w*): (.*)", command.error).groups()
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
