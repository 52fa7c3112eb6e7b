"""Raising WorkflowBlocked is enough to stop a run.

It is raised without marking the run, so a bare `except:` swallows it.
The payment after the wait runs, and the run is reported as completed.
"""

BELIEF = "M19c"
TODO = 3
RULES = ("R9",)


class Context:
    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        inbox = self._inbox[name]
        if command is None:
            if not inbox:
                raise WorkflowBlocked(name)
            now = self._engine.clock.now()
            command = self._record(Command("signal", name, value=inbox[0].payload, started_at=now, ended_at=now))
        if inbox:
            inbox.popleft()
        return deepcopy(command.value)
