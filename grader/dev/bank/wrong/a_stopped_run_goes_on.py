"""After the exception, the context cannot be called again.

_ask does not check whether the run was stopped.
The workflow catches everything, and pays without the approval for which it waits.
"""

BELIEF = "M19b"
TODO = 1
RULES = ("R9",)


class Context:
    def _ask(self, kind, name, args):
        if self._position == len(self._history):
            return None
        recorded = self._history[self._position]
        same = (recorded.kind, recorded.name) == (kind, name)
        if self._engine.guard == "arguments":
            same = same and _canonical(recorded.args) == _canonical(args)
        if not same:
            raise self._stop(NonDeterminismError(self._position, recorded, Command(kind, name, args)))
        self._position += 1
        return recorded
