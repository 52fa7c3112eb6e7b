"""A guard that can be turned down is no guard.

Kind, name and arguments are compared as one text, always; the engine's `guard` is not looked at.
Whoever wants to see what slips through a weak guard sees nothing.
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
