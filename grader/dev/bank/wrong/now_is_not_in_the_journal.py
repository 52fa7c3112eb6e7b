"""Time is not a result, so the list in memory is enough for it.

now() appends its record to the list, but does not write it to the journal.
After a crash the record is missing, and every later record is one position too early.
"""

BELIEF = "M14j"
TODO = 2
RULES = ("R1",)


class Context:
    def now(self):
        command = self._ask("now", "now", [])
        if command is None:
            now = self._engine.clock.now()
            command = Command("now", "now", value=now, started_at=now, ended_at=now)
            self._history.append(command)
            self._position += 1
        return float(command.value)
