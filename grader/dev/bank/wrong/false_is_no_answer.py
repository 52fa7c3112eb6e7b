"""A sender of False has sent nothing.

The code accepts None, after a complaint, and still treats 0, "" and False as missing.
"Approved: False" is ignored; the run keeps waiting.
"""

BELIEF = "M20c"
TODO = 3
RULES = ("R8",)


class Context:
    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        inbox = self._inbox[name]
        if command is None:
            if not inbox or (inbox[0].payload is not None and not inbox[0].payload):
                raise self._stop(WorkflowBlocked(name))
            now = self._engine.clock.now()
            command = self._record(Command("signal", name, value=inbox[0].payload, started_at=now, ended_at=now))
        if inbox:
            inbox.popleft()
        return deepcopy(command.value)
