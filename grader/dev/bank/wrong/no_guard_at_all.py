"""History always fits the code, so there is nothing to compare.

_ask returns whatever record is at the position.
After a deployment the answer of one step is used for another.
"""

BELIEF = "M7b"
TODO = 1
RULES = ("R3",)


class Context:
    def _ask(self, kind, name, args):
        if self._stopped is not None:
            raise self._stopped
        if self._position == len(self._history):
            return None
        self._position += 1
        return self._history[self._position - 1]
