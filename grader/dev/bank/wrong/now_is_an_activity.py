"""The clock is outside, so reading it is an activity.

now() records its reading with the kind "activity".
A report that counts the activities of a run counts the readings of the clock, too.
"""

BELIEF = "M6f"
TODO = 2
RULES = ("R7", "R3")


class Context:
    def now(self):
        command = self._ask("activity", "now", [])
        if command is None:
            now = self._engine.clock.now()
            command = self._record(Command("activity", "now", value=now, started_at=now, ended_at=now))
        return float(command.value)
