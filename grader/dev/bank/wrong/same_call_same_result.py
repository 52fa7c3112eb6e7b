"""The same activity with the same arguments has the same result.

Results are remembered by name and arguments, as in a cache.
Two draws in a lottery give the same number; the second of two equal payments is never made.
"""

BELIEF = "M5a"
TODO = 1
RULES = ("R2", "R6")


class Context:
    def _ask(self, kind, name, args):
        if self._stopped is not None:
            raise self._stopped
        if kind == "activity":
            for recorded in self._history[: self._position]:
                if (recorded.name, _canonical(recorded.args)) == (name, _canonical(args)):
                    return recorded
        if self._position == len(self._history):
            return None
        recorded = self._history[self._position]
        if (recorded.kind, recorded.name) != (kind, name) or _canonical(recorded.args) != _canonical(args):
            raise self._stop(NonDeterminismError(self._position, recorded, Command(kind, name, args)))
        self._position += 1
        return recorded
