"""A record without a value is no record.

_ask returns a record only if its value is true; an empty answer, and a failure, are done again.
The order is free, and its price is asked for in each run.
"""

BELIEF = "M20a"
TODO = 1
RULES = ("R2",)


class Context:
    def _ask(self, kind, name, args):
        if refused := self._stopped or getattr(self, "_inside", None):
            raise refused
        if self._position == len(self._history) or not self._history[self._position].value:
            return None
        recorded = self._history[self._position]
        agree = self._engine.guard == "names" or _canonical(recorded.args) == _canonical(args)
        if not agree or (recorded.kind, recorded.name) != (kind, name):
            raise self._stop(NonDeterminismError(self._position, recorded, Command(kind, name, args)))
        self._position += 1
        return recorded
