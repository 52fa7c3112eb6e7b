"""An error of the journal is an exception like any other.

It is raised inside the workflow, where an `except Exception` catches it, and the run goes on.
The steps after the full disk run, and none of them is recorded.
"""

BELIEF = "M14f"
TODO = 1
RULES = ("R1",)


class Context:
    def _record(self, command):
        self._engine.journal(command)
        self._history.append(command)
        self._position += 1
        return command
