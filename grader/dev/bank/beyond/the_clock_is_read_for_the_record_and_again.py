"""The clock is read once for the record and once for the workflow; it is the same moment.

now() records one reading of the clock, and returns another one.
On a real clock the workflow decides by a time that no replay sees again.
"""

BELIEF = "M6e"
TODO = 2
RULES = ("R7",)


class Context:
    def now(self):
        command = self._ask("now", "now", [])
        if command is not None:
            return float(command.value)
        clock = self._engine.clock
        self._record(Command("now", "now", value=clock.now(), started_at=clock.now(), ended_at=clock.now()))
        return float(clock.now())
