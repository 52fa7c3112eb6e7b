"""A payload is only read.

The workflow gets the object that is in the record and in the signal.
It ticks off the items of an order, and the signal says that they were ticked when it arrived.
"""

BELIEF = "M23d"
TODO = 3
RULES = ("R5", "R10")


class Context:
    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        inbox = self._inbox[name]
        if command is None:
            if not inbox:
                raise self._stop(WorkflowBlocked(name))
            now = self._engine.clock.now()
            command = self._record(Command("signal", name, value=inbox[0].payload, started_at=now, ended_at=now))
        if inbox:
            inbox.popleft()
        return command.value
