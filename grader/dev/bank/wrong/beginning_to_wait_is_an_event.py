"""That the run began to wait is an event, too.

One record says that the wait has begun, and a second one what arrived.
History holds a command that no workflow issued, and every other engine reports a divergence.
"""

BELIEF = "M14l"
TODO = 3
RULES = ("R8",)


class Context:
    def wait_signal(self, name):
        if self._ask("wait", name, []) is None:
            self._record(Command("wait", name))
        command = self._ask("signal", name, [])
        inbox = self._inbox[name]
        if command is None:
            if not inbox:
                raise self._stop(WorkflowBlocked(name))
            now = self._engine.clock.now()
            command = self._record(Command("signal", name, value=inbox[0].payload, started_at=now, ended_at=now))
        if inbox:
            inbox.popleft()
        return deepcopy(command.value)
