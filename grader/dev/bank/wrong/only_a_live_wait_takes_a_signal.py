"""A recorded wait needs nothing from the inbox.

A replayed wait returns its record at once, and leaves the signal where it is.
After a restart the second wait gets the first one's approval again.
"""

BELIEF = "M9c"
TODO = 3
RULES = ("R8",)


class Context:
    def wait_signal(self, name):
        if (command := self._ask("signal", name, [])) is not None:
            return deepcopy(command.value)
        inbox = self._inbox[name]
        if len(inbox) == 0:
            raise self._stop(WorkflowBlocked(name))
        signal, now = inbox.popleft(), self._engine.clock.now()
        self._record(Command("signal", name, value=signal.payload, started_at=now, ended_at=now))
        return deepcopy(signal.payload)
