"""An activity that returns None has left nothing to replay.

`_ask` treats a record whose value is None as missing.
The activity that sends the e-mail returns nothing, so the e-mail is sent again at every restart.
"""

BELIEF = "M20a"
TODO = 1
RULES = ("R2",)


class Context:
    def _ask(self, kind, name, args):
        if self._stopped is not None:
            raise self._stopped
        if self._position == len(self._history):
            return None
        recorded = self._history[self._position]
        if (recorded.kind, recorded.name) != (kind, name) or _canonical(recorded.args) != _canonical(args):
            raise self._stop(NonDeterminismError(self._position, recorded, Command(kind, name, args)))
        if recorded.ok and recorded.value is None:
            return None
        self._position += 1
        return recorded
