"""Raising an error is enough to stop a run.

NonDeterminismError is raised, but the run is not marked: an `except Exception` in the workflow catches it.
The changed code continues with the old history, and reports success.
"""

BELIEF = "M19b"
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
            same = same and _canonical(recorded.args) == _canonical(args)
        if not same:
            raise NonDeterminismError(self._position, recorded, Command(kind, name, args))
        self._position += 1
        return recorded
