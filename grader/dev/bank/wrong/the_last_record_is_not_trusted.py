"""The last record may have been written while the machine died.

When a run is replayed, the last record of its history is dropped, and its step is done again.
The bank paid 30 and history had the receipt; the new process pays 30 again.
"""

BELIEF = "M1b"
TODO = 1
RULES = ("R2",)


class Context:
    def _ask(self, kind, name, args):
        if refused := self._stopped or getattr(self, "_inside", None):
            raise refused
        if not hasattr(self, "_safe"):
            self._safe = len(self._history) - 1
        if kind == "activity" and self._position == self._safe:
            del self._history[self._position :]
        if self._position >= len(self._history):
            return None
        recorded = self._history[self._position]
        agree = self._engine.guard == "names" or _canonical(recorded.args) == _canonical(args)
        if not agree or (recorded.kind, recorded.name) != (kind, name):
            raise self._stop(NonDeterminismError(self._position, recorded, Command(kind, name, args)))
        self._position += 1
        return recorded
