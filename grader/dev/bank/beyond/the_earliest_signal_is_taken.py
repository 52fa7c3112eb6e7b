"""The signal with the earliest time came first.

wait_signal takes the signal of its name with the smallest `received_at`.
The clock was set back between two answers, and the second one is taken for the first.
"""

BELIEF = "M9k"
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
            first = min(inbox, key=lambda signal: signal.received_at)
            command = self._record(Command("signal", name, value=first.payload, started_at=now, ended_at=now))
        if inbox:
            inbox.remove(min(inbox, key=lambda signal: signal.received_at))
        return deepcopy(command.value)
