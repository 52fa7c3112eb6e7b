"""The position counts what was recorded, and a replay records nothing.

_ask looks at the next record and leaves the position where it is; only _record moves it.
A run with more than one step cannot be resumed.
"""

BELIEF = "M25b"
TODO = 1
RULES = ("R2",)


class Context:
    def _ask(self, kind, name, args):
        if self._stopped is not None:
            raise self._stopped
        for recorded in self._history[self._position :]:
            if (recorded.kind, recorded.name) == (kind, name):
                if self._engine.guard == "names" or _canonical(recorded.args) == _canonical(args):
                    return recorded
            raise self._stop(NonDeterminismError(self._position, recorded, Command(kind, name, args)))
        return None
