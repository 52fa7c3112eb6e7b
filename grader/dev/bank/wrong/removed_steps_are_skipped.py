"""A step that the new version no longer has can be skipped in history.

The guard goes on to the next record until one fits; only if none fits has the run diverged.
The reservation that the new version no longer makes stays open, and no error says so.
"""

BELIEF = "M7g"
TODO = 1
RULES = ("R3", "R4")


class Context:
    def _ask(self, kind, name, args):
        if refused := self._stopped or getattr(self, "_inside", None):
            raise refused
        if self._position == len(self._history):
            return None
        for place in range(self._position, len(self._history)):
            recorded = self._history[place]
            agree = self._engine.guard == "names" or _canonical(recorded.args) == _canonical(args)
            if agree and (recorded.kind, recorded.name) == (kind, name):
                self._position = place + 1
                return recorded
        raise self._stop(NonDeterminismError(self._position, self._history[self._position], Command(kind, name, args)))
