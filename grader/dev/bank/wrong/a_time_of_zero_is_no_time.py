"""Zero is how a computer says that it does not know.

`value or ...` takes the recorded time 0.0 for nothing, and asks the clock.
What happened at second 0 of a clock cannot be replayed.
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
