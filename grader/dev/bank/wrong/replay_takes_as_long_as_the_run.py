"""A step that took ten seconds takes ten seconds.

On replay the engine sleeps as long as the recorded step had taken.
A worker that takes over a hundred old runs is blocked for an hour.
"""

BELIEF = "M8a"
TODO = 1
RULES = ("R2",)


class Context:
    def _ask(self, kind, name, args):
        if self._stopped is not None:
            raise self._stopped
        if self._position == len(self._history):
            return None
        recorded = self._history[self._position]
        agree = self._engine.guard == "names" or _canonical(recorded.args) == _canonical(args)
        if not agree or (recorded.kind, recorded.name) != (kind, name):
            raise self._stop(NonDeterminismError(self._position, recorded, Command(kind, name, args)))
        self._outside(self._engine.clock.sleep, recorded.ended_at - recorded.started_at)
        self._position += 1
        return recorded
