"""Waiting means polling.

A loop sleeps on the clock until the signal is there; the inbox cannot change meanwhile.
The worker hangs, and with it everything else that it had to do.
"""

BELIEF = "M16b"
TODO = 3
RULES = ("R9",)


class Context:
    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        inbox = self._inbox[name]
        if command is None:
            while not inbox:
                self._engine.clock.sleep(1)
            now = self._engine.clock.now()
            command = self._record(Command("signal", name, value=inbox[0].payload, started_at=now, ended_at=now))
        if inbox:
            inbox.popleft()
        return deepcopy(command.value)
