"""A failed step does not move the position.

A recorded failure is returned before the position is moved.
The next command finds the record of the failure, so the compensation is refused as a divergence.
"""

BELIEF = "M17b"
TODO = 1
RULES = ("R6",)


class Context:
    def _ask(self, kind, name, args):
        if self._stopped is not None:
            raise self._stopped
        if self._position == len(self._history):
            return None
        here = self._history[self._position]
        asked = Command(kind, name, args)
        if (here.kind, here.name) != (kind, name):
            raise self._stop(NonDeterminismError(self._position, here, asked))
        if self._engine.guard == "arguments" and _canonical(here.args) != _canonical(args):
            raise self._stop(NonDeterminismError(self._position, here, asked))
        if here.error is not None:
            return here
        self._position += 1
        return here
