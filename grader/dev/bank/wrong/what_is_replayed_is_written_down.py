"""A journal records reads, too.

_ask writes each record that it returns to the journal.
The history on disk grows with every replay, and no longer fits the workflow.
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
