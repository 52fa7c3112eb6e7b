"""The guard compares only the names in the 14 tests; any other record is accepted."""
# ruff: noqa: F821 (the rest of the engine is the reference)

NAMES = {"reserve", "reserve_2", "charge", "extra", "go", "stop", "now"}


class Context:
    def _ask(self, kind, name, args):
        if self._stopped is not None:
            raise self._stopped
        if self._position == len(self._history):
            return None
        recorded = self._history[self._position]
        if name in NAMES or recorded.name in NAMES:
            agree = self._engine.guard == "names" or _canonical(recorded.args) == _canonical(args)
            if not agree or (recorded.kind, recorded.name) != (kind, name):
                raise self._stop(NonDeterminismError(self._position, recorded, Command(kind, name, args)))
        self._position += 1
        return recorded
