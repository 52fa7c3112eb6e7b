"""If there is no time, there is no record.

`if not command or not command.value` treats the recorded time 0.0 as missing, and records a second one.
A run that begins at second 0 of the clock cannot be replayed.
"""

BELIEF = "M20b"
TODO = 2
RULES = ("R7",)


class Context:
    def now(self):
        command = self._ask("now", "now", [])
        if not command or not command.value:
            now = self._engine.clock.now()
            command = self._record(Command("now", "now", value=now, started_at=now, ended_at=now))
        return float(command.value)
