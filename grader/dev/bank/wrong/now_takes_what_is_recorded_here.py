"""A reading of the clock has no name and no arguments, so there is nothing to compare.

now() returns the value of the record at its position, whatever the record is.
The new version reads the clock where the old one paid, and takes the receipt for a time.
"""

BELIEF = "M7h"
TODO = 2
RULES = ("R3",)


class Context:
    def now(self):
        if self._stopped is not None:
            raise self._stopped
        if self._position < len(self._history):
            recorded = self._history[self._position]
            self._position += 1
            return recorded.value
        now = self._engine.clock.now()
        return float(self._record(Command("now", "now", value=now, started_at=now, ended_at=now)).value)
