"""A run has one time: that of its beginning.

The first time is kept, and every later now() returns it.
The workflow that measures how long the bank took always finds 0 seconds.
"""

BELIEF = "M6b"
TODO = 2
RULES = ("R7",)


class Context:
    def now(self):
        if hasattr(self, "_time"):
            return self._time
        command = self._ask("now", "now", [])
        if command is None:
            now = self._engine.clock.now()
            command = self._record(Command("now", "now", value=now, started_at=now, ended_at=now))
        self._time = float(command.value)
        return self._time
