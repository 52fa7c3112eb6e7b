"""The question takes a position, and so does its answer.

_ask moves the position whether or not there is a record, and _record moves it again.
A new process counts in another way than the old one, and the bank gets another key for the same payment.
"""

BELIEF = "M25a"
TODO = 1
RULES = ("R6", "R11")


class Context:
    def _ask(self, kind, name, args):
        if refused := self._stopped or getattr(self, "_inside", None):
            raise refused
        place, self._position = self._position, self._position + 1
        if place >= len(self._history):
            return None
        recorded = self._history[place]
        agree = self._engine.guard == "names" or _canonical(recorded.args) == _canonical(args)
        if not agree or (recorded.kind, recorded.name) != (kind, name):
            raise self._stop(NonDeterminismError(place, recorded, Command(kind, name, args)))
        return recorded
