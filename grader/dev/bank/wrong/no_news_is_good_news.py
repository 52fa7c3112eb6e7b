"""No news is good news.

If the inbox is empty, None is recorded as the answer, and the workflow goes on.
The refund is paid before it is approved, and history says that it was approved.
"""

BELIEF = "M16a"
TODO = 3
RULES = ("R9", "R8")


class Context:
    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        inbox = self._inbox[name]
        if command is None:
            payload = inbox[0].payload if inbox else None
            now = self._engine.clock.now()
            command = self._record(Command("signal", name, value=payload, started_at=now, ended_at=now))
        if inbox:
            inbox.popleft()
        return deepcopy(command.value)
