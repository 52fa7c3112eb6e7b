"""Arguments are compared with ==.

In Python 1 == 1.0 == True, so these count as the same argument; in JSON they are three.
The flag True became the amount 1, and gets the old answer.
"""

BELIEF = "M21c"
TODO = 1
RULES = ("R3",)


class Context:
    def _ask(self, kind, name, args):
        if self._stopped is not None:
            raise self._stopped
        if self._position == len(self._history):
            return None
        recorded = self._history[self._position]
        same = (recorded.kind, recorded.name) == (kind, name)
        if self._engine.guard == "arguments":
            same = same and recorded.args == args
        if not same:
            raise self._stop(NonDeterminismError(self._position, recorded, Command(kind, name, args)))
        self._position += 1
        return recorded
