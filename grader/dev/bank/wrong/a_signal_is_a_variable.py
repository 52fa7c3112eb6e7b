"""A signal sets a value, and waiting reads it.

wait_signal returns the latest payload of that name, and no signal is consumed.
One approval approves every later request.
"""

BELIEF = "M9d"
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
        return deepcopy(command.value)
