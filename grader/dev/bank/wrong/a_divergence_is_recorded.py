"""Everything that happens in a run belongs in its history.

The divergence is recorded as a failed command before the error is raised.
Even with the old code, the run can no longer be replayed.
"""

BELIEF = "M14h"
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
            problem = NonDeterminismError(self._position, recorded, Command(kind, name, args))
            self._record(Command(kind, name, args, ok=False, error=f"NonDeterminismError: {problem}"))
            raise self._stop(problem)
        self._position += 1
        return recorded
