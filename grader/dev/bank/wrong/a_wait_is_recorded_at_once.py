"""That the workflow waits belongs in history.

A wait that is not over is recorded, with the value None.
In the next run the wait counts as answered: the refund is paid without an approval.
"""

BELIEF = "M14l"
TODO = 3
RULES = ("R8",)


class Context:
    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        inbox = self._inbox[name]
        if command is None:
            if not inbox:
                self._record(Command("signal", name))
                raise self._stop(WorkflowBlocked(name))
            now = self._engine.clock.now()
            command = self._record(Command("signal", name, value=inbox[0].payload, started_at=now, ended_at=now))
        if inbox:
            inbox.popleft()
        return deepcopy(command.value)
