"""What is in the list is remembered.

_record puts the command into the list and does nothing else.
The process dies, and the record of everything that it did is lost.
"""

BELIEF = "M14c"
TODO = 1
RULES = ("R1",)


class Context:
    def _record(self, command):
        self._history.append(command)
        self._position = len(self._history)
        return command
