"""A guard that can be weakened is no guard.

Kind, name and arguments are always compared as one string; the engine's `guard` is ignored.
The lesson that shows what slips through a weak guard shows nothing.
"""

BELIEF = "M21d"
TODO = 1
RULES = ("R3",)


class Context:
    def _ask(self, kind, name, args):
        if self._stopped is not None:
            raise self._stopped
        if self._position < len(self._history):
            recorded = self._history[self._position]
            if _canonical([recorded.kind, recorded.name, recorded.args]) != _canonical([kind, name, args]):
                raise self._stop(NonDeterminismError(self._position, recorded, Command(kind, name, args)))
            self._position += 1
            return recorded
        return None
