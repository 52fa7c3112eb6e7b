"""The time is time.time().

now() reads the machine's clock and not the engine's.
A test that simulates two days sees no time pass.
"""

import time

BELIEF = "M6c"
TODO = 2
RULES = ("R7",)


class Context:
    def now(self):
        command = self._ask("now", "now", [])
        if command is None:
            now = time.time()
            command = self._record(Command("now", "now", value=now, started_at=now, ended_at=now))
        return float(command.value)
