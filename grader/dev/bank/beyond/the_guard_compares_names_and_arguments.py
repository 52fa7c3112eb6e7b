"""Names are unique, so a record with the right name and arguments is the right record.

The guard compares name and arguments, not the kind.
A reading of the clock is taken for the result of an activity that is called `now`.
"""

BELIEF = "M7f"
TODO = 1
RULES = ("R3",)


class Context:
    def _ask(self, kind, name, args):
        if refused := self._stopped or getattr(self, "_inside", None):
            raise refused
        if self._position == len(self._history):
            return None
        recorded = self._history[self._position]
        agree = self._engine.guard == "names" or _canonical(recorded.args) == _canonical(args)
        if not agree or recorded.name != name:
            raise self._stop(NonDeterminismError(self._position, recorded, Command(kind, name, args)))
        self._position += 1
        return recorded
