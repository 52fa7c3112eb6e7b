"""Two values are the same if they print the same.

str(args) is compared: {"id": 1, "n": 2} and {"n": 2, "id": 1} differ.
A run is refused because a service returned the same order with its fields in another order.
"""

BELIEF = "M21b"
TODO = 1
RULES = ("R3",)


class Context:
    def _ask(self, kind, name, args):
        if self._stopped is not None:
            raise self._stopped
        if self._position == len(self._history):
            return None
        recorded = self._history[self._position]
        same = (recorded.kind, recorded.name) == (kind, name)
        if self._engine.guard == "arguments":
            same = same and str(recorded.args) == str(args)
        if not same:
            raise self._stop(NonDeterminismError(self._position, recorded, Command(kind, name, args)))
        self._position += 1
        return recorded
