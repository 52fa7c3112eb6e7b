"""A moment is a moment, so it does not matter which reading of it is recorded.

now() keeps its first reading for the workflow, and the record is made with the time of its own.
The workflow was in time by a hundredth of a second, and its replay is late.
"""

BELIEF = "M6e"
TODO = 2
RULES = ("R7",)


def _moment(clock):
    began = clock.now()
    return Command("now", "now", value=clock.now(), started_at=began, ended_at=clock.now())


class Context:
    def now(self):
        command = self._ask("now", "now", [])
        if command is None:
            command = self._record(_moment(self._engine.clock))
            return float(command.started_at)
        return float(command.value)
