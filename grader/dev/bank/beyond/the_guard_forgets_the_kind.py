"""What a step is called says what it is.

Each step is described by its name and its arguments, and two equal descriptions are the same step.
The signal `pay` in history is returned for the activity `pay`, and nothing is paid.
"""

BELIEF = "M7f"
TODO = 1
RULES = ("R3",)


def _described(command, guard):
    return command.name if guard == "names" else f"{command.name}{_canonical(command.args)}"


class Context:
    def _ask(self, kind, name, args):
        if refused := self._stopped or getattr(self, "_inside", None):
            raise refused
        asked = Command(kind, name, args)
        for recorded in self._history[self._position : self._position + 1]:
            if _described(recorded, self._engine.guard) == _described(asked, self._engine.guard):
                self._position += 1
                return recorded
            raise self._stop(NonDeterminismError(self._position, recorded, asked))
        return None
