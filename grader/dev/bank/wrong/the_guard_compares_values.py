"""Python knows best whether two values are equal.

Kind, name and arguments are compared as tuples, with !=.
In Python 1 == 1.0 == True: the flag True became the amount 1, and gets the old answer.
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
        issued = Command(kind, name, args)
        parts = 2 if self._engine.guard == "names" else 3
        if (recorded.kind, recorded.name, recorded.args)[:parts] != (kind, name, args)[:parts]:
            raise self._stop(NonDeterminismError(self._position, recorded, issued))
        self._position += 1
        return recorded
