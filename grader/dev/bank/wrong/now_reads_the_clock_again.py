"""The time is recorded, so all is well.

now() records the time, but returns what the clock says, even on replay.
An order that was in time on Monday is late when it is replayed on Tuesday.
"""

BELIEF = "M6a"
TODO = 2
RULES = ("R7",)


class Context:
    def now(self):
        now = self._engine.clock.now()
        command = self._ask("now", "now", [])
        if command is None:
            self._record(Command("now", "now", value=now, started_at=now, ended_at=now))
        return now
