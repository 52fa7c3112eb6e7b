"""Only activities have effects, so only they are compared.

now() and wait_signal return the record at their position without a check.
The code that now waits for "stop" continues with the answer to "go".
"""

BELIEF = "M7c"
TODO = 1
RULES = ("R3",)


class Context:
    def _ask(self, kind, name, args):
        if self._stopped is not None:
            raise self._stopped
        if self._position == len(self._history):
            return None
        recorded = self._history[self._position]
        same = (recorded.kind, recorded.name) == (kind, name) and _canonical(recorded.args) == _canonical(args)
        if kind == "activity" and not same and self._engine.guard == "arguments":
            raise self._stop(NonDeterminismError(self._position, recorded, Command(kind, name, args)))
        self._position += 1
        return recorded
