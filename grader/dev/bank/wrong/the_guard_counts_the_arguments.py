"""The same activity with the same number of arguments is the same call.

The guard compares the kind, the name and the number of arguments.
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
        was, asked = (recorded.kind, recorded.name, len(recorded.args)), (kind, name, len(args))
        if was[:2] != asked[:2] or (self._engine.guard == "arguments" and was != asked):
            raise self._stop(NonDeterminismError(self._position, recorded, Command(kind, name, args)))
        self._position += 1
        return recorded
