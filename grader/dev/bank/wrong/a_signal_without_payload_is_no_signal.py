"""No payload, no signal.

The code takes a payload of None to mean that no signal has arrived.
The boss presses a button that sends no payload, and the run keeps waiting.
"""

BELIEF = "M20c"
TODO = 3
RULES = ("R8",)


class Context:
    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        inbox = self._inbox[name]
        if command is None:
            if not inbox or inbox[0].payload is None:
                raise self._stop(WorkflowBlocked(name))
            now = self._engine.clock.now()
            command = self._record(Command("signal", name, value=inbox[0].payload, started_at=now, ended_at=now))
        if inbox:
            inbox.popleft()
        return deepcopy(command.value)
