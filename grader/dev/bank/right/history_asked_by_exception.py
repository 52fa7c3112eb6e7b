"""The end of history is an exception, as with any iterator that is exhausted."""


class Context:
    def _replay(self, kind, name, args):
        """Return the record at this position. Raises IndexError at the end of history."""
        recorded = self._history[self._position]
        for mine, theirs in ((kind, recorded.kind), (name, recorded.name)):
            if mine != theirs:
                raise self._stop(NonDeterminismError(self._position, recorded, Command(kind, name, args)))
        if self._engine.guard == "arguments" and _canonical(recorded.args) != _canonical(args):
            raise self._stop(NonDeterminismError(self._position, recorded, Command(kind, name, args)))
        self._position = self._position + 1
        return recorded

    def _ask(self, kind, name, args):
        if self._stopped is not None:
            raise self._stopped
        try:
            return self._replay(kind, name, args)
        except IndexError:
            return None
