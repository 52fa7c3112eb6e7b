"""When the code has changed, the new code is right.

From the first difference on, history is dropped and the new code runs live.
The old charge remains and the new one is added: the customer pays twice.
"""

BELIEF = "M7a"
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
            return None
        self._position += 1
        return recorded
