"""On replay the value comes from history, so the inbox is not touched.

A signal leaves the inbox only when it is consumed live.
After a restart the second wait gets the first one's approval again.
"""

BELIEF = "M9c"
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
            command = self._record(Command("signal", name, value=inbox[0].payload, started_at=now, ended_at=now))
            inbox.popleft()
        return deepcopy(command.value)
