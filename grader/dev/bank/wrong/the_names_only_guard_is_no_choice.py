"""More checking is always better.

Arguments are compared even if the engine was made with guard="names".
The lesson that shows what slips through a weak guard shows nothing.
"""

BELIEF = "M21d"
TODO = 1
RULES = ("R3",)


class Context:
    def _ask(self, kind, name, args):
        if self._stopped is not None:
            raise self._stopped
        if self._position == len(self._history):
            return None
        recorded = self._history[self._position]
        if (recorded.kind, recorded.name) != (kind, name) or _canonical(recorded.args) != _canonical(args):
            raise self._stop(NonDeterminismError(self._position, recorded, Command(kind, name, args)))
        self._position += 1
        return recorded
