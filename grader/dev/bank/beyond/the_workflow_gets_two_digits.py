"""A time is shown with two digits, so a workflow needs no more.

The exact time is recorded, and the workflow gets it with two digits.
By the workflow's times a deadline is kept that was missed by four milliseconds.
"""

BELIEF = "M24b"
TODO = 2
RULES = ("R7",)


class Context:
    def now(self):
        command = self._ask("now", "now", [])
        if command is None:
            now = self._engine.clock.now()
            command = self._record(Command("now", "now", value=now, started_at=now, ended_at=now))
        return int(command.value * 100) / 100
