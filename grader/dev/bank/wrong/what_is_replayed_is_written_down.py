"""A journal notes what was read, too.

_ask tells the journal of each record that it hands over.
The history on disk grows with every look at the run, and no longer fits the workflow.
"""

BELIEF = "M14e"
TODO = 1
RULES = ("R2",)


class Context:
    def _ask(self, kind, name, args):
        if self._stopped is not None:
            raise self._stopped
        if self._position == len(self._history):
            return None
        recorded = self._history[self._position]
        issued = Command(kind, name, args)
        if (recorded.kind, recorded.name) != (kind, name):
            raise self._stop(NonDeterminismError(self._position, recorded, issued))
        if self._engine.guard == "arguments" and _canonical(recorded.args) != _canonical(args):
            raise self._stop(NonDeterminismError(self._position, recorded, issued))
        self._outside(self._engine.journal, recorded)
        self._position += 1
        return recorded
