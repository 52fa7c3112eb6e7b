"""Every machine has the right time.

now() returns the time of this machine, in seconds since 1970.
A test that simulates two days sees no time pass, and two workers give two times for one moment.
"""

from datetime import UTC, datetime

BELIEF = "M6c"
TODO = 2
RULES = ("R7",)


class Context:
    def now(self):
        if (command := self._ask("now", "now", [])) is not None:
            return float(command.value)
        seconds = datetime.now(UTC).timestamp()
        return float(self._record(Command("now", "now", [], value=seconds)).value)
