"""An exception ends the workflow.

The empty inbox is noticed by its IndexError, and WorkflowBlocked is raised; the run is not marked.
The payment after the wait runs if the workflow catches everything, and the run is reported as completed.
"""

BELIEF = "M19c"
TODO = 3
RULES = ("R9",)


class Context:
    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        try:
            signal = self._inbox[name].popleft()
        except IndexError:
            if command is None:
                raise WorkflowBlocked(name) from None
        if command is None:
            now = self._engine.clock.now()
            command = self._record(Command("signal", name, value=signal.payload, started_at=now, ended_at=now))
        return deepcopy(command.value)
