"""Whole seconds are exact enough.

now() cuts the time to whole seconds.
A step of half a second seems to take none, and the time is an int, which the contract does not allow.
"""

BELIEF = "M24a"
TODO = 2
RULES = ("R7",)


class Context:
    def now(self):
        command = self._ask("now", "now", [])
        if command is None:
            now = int(self._engine.clock.now())
            command = self._record(Command("now", "now", value=now, started_at=now, ended_at=now))
        return command.value
