"""The payload was made for the workflow.

Live, the workflow gets the payload of the signal itself; only a replay makes a copy.
It ticks off the items of an order, and the signal says that they were ticked when it arrived.
"""

BELIEF = "M23d"
TODO = 3
RULES = ("R5", "R10")


class Context:
    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        inbox = self._inbox[name]
        if command is not None:
            if inbox:
                inbox.popleft()
            return deepcopy(command.value)
        if not inbox:
            raise self._stop(WorkflowBlocked(name))
        payload, now = inbox[0].payload, self._engine.clock.now()
        self._record(Command("signal", name, value=payload, started_at=now, ended_at=now))
        inbox.popleft()
        return payload
