"""The first command is number 1.

The position in the error is one too high.
A developer who looks for the difference looks at the wrong step.
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
        self._position += 1
        same = (recorded.kind, recorded.name) == (kind, name)
        if self._engine.guard == "arguments":
            same = same and _canonical(recorded.args) == _canonical(args)
        if not same:
            raise self._stop(NonDeterminismError(self._position, recorded, Command(kind, name, args)))
        return recorded
