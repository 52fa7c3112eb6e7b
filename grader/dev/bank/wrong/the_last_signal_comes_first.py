"""The newest signal is the one that counts.

wait_signal takes the last one that arrived.
Two answers were given; they are used in the wrong order.
"""

BELIEF = "M9g"
TODO = 3
RULES = ("R8",)


class Context:
    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        inbox = self._inbox[name]
        if command is None:
            if not inbox:
                raise self._stop(WorkflowBlocked(name))
            now = self._engine.clock.now()
            command = self._record(Command("signal", name, value=inbox[-1].payload, started_at=now, ended_at=now))
        if inbox:
            inbox.pop()
        return deepcopy(command.value)
