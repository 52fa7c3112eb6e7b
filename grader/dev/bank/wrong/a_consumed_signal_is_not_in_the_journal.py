"""The signal itself is in the journal, so its use need not be.

That a signal was consumed is kept in memory only.
After a crash the wait is missing in history, and the records after it no longer fit.
"""

BELIEF = "M14k"
TODO = 3
RULES = ("R1",)


class Context:
    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        inbox = self._inbox[name]
        if command is None:
            if not inbox:
                raise self._stop(WorkflowBlocked(name))
            now = self._engine.clock.now()
            command = Command("signal", name, value=inbox[0].payload, started_at=now, ended_at=now)
            self._history.append(command)
            self._position += 1
        if inbox:
            inbox.popleft()
        return deepcopy(command.value)
