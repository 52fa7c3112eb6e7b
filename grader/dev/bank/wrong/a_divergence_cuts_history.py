"""History that does not fit is out of date.

The records from the first difference on are deleted, and the error is raised.
The records of what was paid are gone; the next run pays again.
"""

BELIEF = "M14h"
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
            del self._history[self._position :]
            raise self._stop(NonDeterminismError(self._position, recorded, Command(kind, name, args)))
        self._position += 1
        return recorded
