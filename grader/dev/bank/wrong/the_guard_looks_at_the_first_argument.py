"""The first argument says what a call is about.

The guard compares the kind, the name and the first argument, which is the order's id.
The amount was 30 and is 31 now; the old answer is used.
"""

BELIEF = "M21a"
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
            same = same and _canonical(recorded.args[:1]) == _canonical(args[:1])
        if not same:
            raise self._stop(NonDeterminismError(self._position, recorded, Command(kind, name, args)))
        self._position += 1
        return recorded
