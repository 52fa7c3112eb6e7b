"""The time of a run is its first reading of the clock.

Each now() is recorded, but with the value of the first one.
The workflow that measures how long the bank took always finds 0 seconds.
"""

BELIEF = "M6b"
TODO = 2
RULES = ("R7",)


class Context:
    def now(self):
        command = self._ask("now", "now", [])
        if command is None:
            earlier = [known.value for known in self._history if known.kind == "now"]
            time = earlier[0] if earlier else self._engine.clock.now()
            command = self._record(Command("now", "now", value=time, started_at=time, ended_at=time))
        return float(command.value)
