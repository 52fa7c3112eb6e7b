"""A step is identified by its name.

Kind and name are compared, the arguments never.
History has "charge 30"; the fixed code asks for 31, and is told that it was charged.
"""

BELIEF = "M21a"
TODO = 1
RULES = ("R3",)


class Context:
    def _ask(self, kind, name, args):
        if self._stopped is not None:
            raise self._stopped
        if self._position == len(self._history):
            return None
        recorded = self._history[self._position]
        if (recorded.kind, recorded.name) != (kind, name):
            raise self._stop(NonDeterminismError(self._position, recorded, Command(kind, name, args)))
        self._position += 1
        return recorded
