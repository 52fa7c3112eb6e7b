"""Every question is a step forward.

_ask moves the position whether or not it finds a record, and _record moves it again.
The second step of a run reads beyond the end of history and fails.
"""

BELIEF = "M25a"
TODO = 1
RULES = ("R6", "R1", "R11")


class Context:
    def _ask(self, kind, name, args):
        if self._stopped is not None:
            raise self._stopped
        here = self._position
        self._position += 1
        if here == len(self._history):
            return None
        recorded = self._history[here]
        agree = self._engine.guard == "names" or _canonical(recorded.args) == _canonical(args)
        if not agree or (recorded.kind, recorded.name) != (kind, name):
            raise self._stop(NonDeterminismError(here, recorded, Command(kind, name, args)))
        return recorded
