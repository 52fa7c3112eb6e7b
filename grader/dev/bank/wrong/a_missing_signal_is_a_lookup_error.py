"""The signal must be there when the workflow waits for it.

wait_signal takes the first signal of the inbox, and an empty inbox raises LookupError.
The workflow takes the error for a refusal, and undoes the order.
"""

BELIEF = "M16c"
TODO = 3
RULES = ("R9",)


class Context:
    def wait_signal(self, name):
        command, inbox = self._ask("signal", name, []), self._inbox[name]
        if command is None:
            if not inbox:
                raise LookupError(f"no signal {name}")
            now = self._engine.clock.now()
            command = self._record(Command("signal", name, value=inbox[0].payload, started_at=now, ended_at=now))
        if inbox:
            inbox.popleft()
        return deepcopy(command.value)
