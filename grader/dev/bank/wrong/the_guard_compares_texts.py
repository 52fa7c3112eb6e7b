"""Equal values have equal JSON.

Arguments are compared as json.dumps writes them, with the fields in the order in which they came.
A run is refused because a service returned the same order with its fields in another order.
"""

BELIEF = "M21b"
TODO = 1
RULES = ("R3",)


class Context:
    def _ask(self, kind, name, args):
        if self._stopped is not None:
            raise self._stopped
        if len(self._history) <= self._position:
            return None
        recorded = self._history[self._position]
        text = json.dumps([recorded.kind, recorded.name, recorded.args])
        if self._engine.guard == "names":
            text = json.dumps([recorded.kind, recorded.name, args])
        if text != json.dumps([kind, name, args]):
            raise self._stop(NonDeterminismError(self._position, recorded, Command(kind, name, args)))
        self._position += 1
        return recorded
