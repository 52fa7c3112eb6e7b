"""Reading the clock or the inbox cannot go wrong.

For now() and wait_signal the record at the position is returned without a check.
The code that now waits for "stop" continues with the answer to "go".
"""

BELIEF = "M7c"
TODO = 1
RULES = ("R3",)


class Context:
    def _ask(self, kind, name, args):
        if self._stopped is not None:
            raise self._stopped
        if self._position >= len(self._history):
            return None
        recorded = self._history[self._position]
        if kind == "activity":
            asked = Command(kind, name, args)
            strict = self._engine.guard == "arguments"
            if recorded.kind != kind or recorded.name != name:
                raise self._stop(NonDeterminismError(self._position, recorded, asked))
            if strict and _canonical(recorded.args) != _canonical(args):
                raise self._stop(NonDeterminismError(self._position, recorded, asked))
        self._position += 1
        return recorded
