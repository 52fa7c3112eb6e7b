"""Nothing in a business happens within a millisecond.

now() rounds the time to three digits before it records it.
Two messages of one millisecond have the same time, and cannot be ordered.
"""

BELIEF = "M24b"
TODO = 2
RULES = ("R7",)


class Context:
    def now(self):
        command = self._ask("now", "now", [])
        if command is None:
            now = round(self._engine.clock.now(), 3)
            command = self._record(Command("now", "now", value=now, started_at=now, ended_at=now))
        return float(command.value)
