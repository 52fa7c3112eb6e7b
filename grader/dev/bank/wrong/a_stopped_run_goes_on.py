"""Once the exception is out, nobody can call the context again.

_ask does not look whether the run was stopped.
The workflow caught everything, and pays without the approval that it waits for.
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
