"""`if payload:` asks whether a signal has come.

A payload of 0, False, "" or None is treated as missing.
"Approved: False" is ignored; the run keeps waiting.
"""

BELIEF = "M20c"
TODO = 3
RULES = ("R8",)


class Context:
    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        waiting = [signal for signal in self._inbox[name] if signal.payload]
        if command is None:
            if not waiting:
                raise self._stop(WorkflowBlocked(name))
            now = self._engine.clock.now()
            command = self._record(Command("signal", name, value=waiting[0].payload, started_at=now, ended_at=now))
        if waiting:
            self._inbox[name].remove(waiting[0])
        return deepcopy(command.value)
