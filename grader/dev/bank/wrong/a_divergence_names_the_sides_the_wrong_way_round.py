"""It is obvious which side is which.

The recorded command and the issued one are swapped in the error.
A developer repairs the history, although the code was wrong.
"""

BELIEF = "M22a"
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
            same = same and _canonical(recorded.args) == _canonical(args)
        if not same:
            raise self._stop(NonDeterminismError(self._position, Command(kind, name, args), recorded))
        self._position += 1
        return recorded
