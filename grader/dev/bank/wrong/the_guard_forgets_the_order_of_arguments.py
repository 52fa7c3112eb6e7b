"""The same arguments make the same call.

The arguments are sorted before they are compared.
"From A to B" is replayed as "from B to A": the money went the other way.
"""

BELIEF = "M21a"
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
            same = same and sorted(map(_canonical, recorded.args)) == sorted(map(_canonical, args))
        if not same:
            raise self._stop(NonDeterminismError(self._position, recorded, Command(kind, name, args)))
        self._position += 1
        return recorded
