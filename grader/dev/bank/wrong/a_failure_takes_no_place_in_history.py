"""A failed step is not a step, so the position does not move.

On replay the position moves over a record only if it is ok.
The next command finds the record of the failure, so the compensation is refused as a divergence.
"""

BELIEF = "M17b"
TODO = 1
RULES = ("R6",)


class Context:
    def _ask(self, kind, name, args):
        if self._stopped is not None:
            raise self._stopped
        if self._position == len(self._history):
            return None
        recorded = self._history[self._position]
        same = (recorded.kind, recorded.name) == (kind, name)
        if self._engine.guard == "arguments":
            same = same and _canonical(recorded.args) == _canonical(args)
        if not same:
            raise self._stop(NonDeterminismError(self._position, recorded, Command(kind, name, args)))
        if recorded.ok:
            self._position += 1
        return recorded
