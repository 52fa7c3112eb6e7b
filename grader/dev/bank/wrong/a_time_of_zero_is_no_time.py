"""Zero means that the time is unknown.

`value or ...` treats the recorded time 0.0 as missing, and reads the clock.
A run that begins at second 0 of the clock cannot be replayed.
"""

BELIEF = "M20b"
TODO = 2
RULES = ("R7",)


class Context:
    def now(self):
        command = self._ask("now", "now", [])
        value = command and command.value
        return float(value or self._take_the_time())

    def _take_the_time(self):
        now = self._engine.clock.now()
        return self._record(Command("now", "now", value=now, started_at=now, ended_at=now)).value
