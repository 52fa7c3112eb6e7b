"""An activity is an activity.

Only the kind is compared.
A renamed or swapped step gets the answer of the step that was there before.
"""

BELIEF = "M7b"
TODO = 1
RULES = ("R3",)


class Context:
    def _ask(self, kind, name, args):
        if self._stopped is not None:
            raise self._stopped
        if self._position == len(self._history):
            return None
        recorded = self._history[self._position]
        if recorded.kind != kind:
            raise self._stop(NonDeterminismError(self._position, recorded, Command(kind, name, args)))
        self._position += 1
        return recorded
