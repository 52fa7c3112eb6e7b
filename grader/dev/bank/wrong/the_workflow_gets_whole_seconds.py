"""Nobody needs parts of a second.

The exact time is recorded, and the workflow gets it without its fraction.
What takes half a second takes none, and a type of number comes out that the contract does not name.
"""

BELIEF = "M24a"
TODO = 2
RULES = ("R7",)


class Context:
    def now(self):
        command = self._ask("now", "now", [])
        if command is None:
            now = self._engine.clock.now()
            command = self._record(Command("now", "now", value=now, started_at=now, ended_at=now))
        return round(command.value)
