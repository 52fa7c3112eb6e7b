"""A short wait does no harm.

wait_signal polls once a second for a minute before it gives up.
A thousand waiting runs block a thousand threads for a minute each, each time they are run.
"""

BELIEF = "M16b"
TODO = 3
RULES = ("R9",)


class Context:
    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        inbox = self._inbox[name]
        if command is None:
            for _ in range(60):
                if not inbox:
                    self._engine.clock.sleep(1)
            if not inbox:
                raise self._stop(WorkflowBlocked(name))
            now = self._engine.clock.now()
            command = self._record(Command("signal", name, value=inbox[0].payload, started_at=now, ended_at=now))
        if inbox:
            inbox.popleft()
        return deepcopy(command.value)
