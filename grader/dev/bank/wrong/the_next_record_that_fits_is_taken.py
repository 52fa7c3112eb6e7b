"""History may have more steps than the code.

Records that do not fit are passed over one by one; a run whose records are used up goes on live.
A changed amount is paid a second time, and a removed step is not noticed.
"""

BELIEF = "M7g"
TODO = 1
RULES = ("R3", "R4")


class Context:
    def _ask(self, kind, name, args):
        if refused := self._stopped or getattr(self, "_inside", None):
            raise refused
        start = self._position
        while self._position < len(self._history):
            recorded = self._history[self._position]
            self._position += 1
            same = self._engine.guard == "names" or _canonical(recorded.args) == _canonical(args)
            if same and recorded.kind == kind and recorded.name == name:
                return recorded
        if start < len(self._history):
            self._position = start
            raise self._stop(NonDeterminismError(start, self._history[start], Command(kind, name, args)))
        return None
