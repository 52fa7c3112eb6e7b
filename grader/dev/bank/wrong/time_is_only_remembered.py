"""A time can be read again, so it need not be recorded.

now() adds its record to the run's own list, but does not write it to the journal.
After a crash the record is missing, and every later record is one position too early.
"""

BELIEF = "M14j"
TODO = 2
RULES = ("R1",)


class Context:
    def now(self):
        command = self._ask("now", "now", [])
        if command is not None:
            return float(command.value)
        moment = self._engine.clock.now()
        self._history += [Command("now", "now", value=moment, started_at=moment, ended_at=moment)]
        self._position = len(self._history)
        return float(moment)
