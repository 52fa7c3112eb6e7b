"""A time can be had again, so nobody has to write it down.

now() keeps its record in the run's own list; the journal hears nothing.
After a crash the record is missing, and everything behind it stands one place too early.
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
