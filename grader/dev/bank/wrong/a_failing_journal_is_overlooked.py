"""Logging must never break the business.

An error of the journal is caught and ignored.
The disk is full, the run continues, and after the next restart everything is paid again.
"""

BELIEF = "M14f"
TODO = 1
RULES = ("R1",)


class Context:
    def _record(self, command):
        try:
            self._engine.journal(command)
        except Exception:
            pass
        self._history.append(command)
        self._position += 1
        return command
