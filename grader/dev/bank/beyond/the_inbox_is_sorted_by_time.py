"""Messages are read in the order of their times.

At its first look into an inbox, wait_signal sorts it by `received_at`.
Two workers have different clocks, and the answers that they deliver change places.
"""

BELIEF = "M9k"
TODO = 3
RULES = ("R8",)


class Context:
    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        inbox = self._inbox[name] = deque(sorted(self._inbox[name], key=lambda signal: signal.received_at))
        if command is None and not inbox:
            raise self._stop(WorkflowBlocked(name))
        taken = inbox.popleft() if inbox else None
        if command is None:
            now = self._engine.clock.now()
            command = self._record(Command("signal", name, value=taken.payload, started_at=now, ended_at=now))
        return deepcopy(command.value)
