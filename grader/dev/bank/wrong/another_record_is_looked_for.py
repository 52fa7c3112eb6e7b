"""History may contain steps that the code no longer has.

Records of another kind or name are passed over, and a run that has passed over all of them goes on live.
A renamed step is taken for a new one, and is made again.
"""

BELIEF = "M7g"
TODO = 1
RULES = ("R3", "R4")


class Context:
    def _ask(self, kind, name, args):
        if refused := self._stopped or getattr(self, "_inside", None):
            raise refused
        rest = enumerate(self._history[self._position :], start=self._position)
        found = next((place for place, one in rest if (one.kind, one.name) == (kind, name)), None)
        if found is None:
            self._position = len(self._history)
            return None
        recorded = self._history[found]
        if self._engine.guard == "arguments" and _canonical(recorded.args) != _canonical(args):
            raise self._stop(NonDeterminismError(found, recorded, Command(kind, name, args)))
        self._position = found + 1
        return recorded
