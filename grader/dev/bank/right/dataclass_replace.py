"""New values are made from old ones with dataclasses.replace."""

from dataclasses import replace


class Context:
    def now(self):
        asked = Command("now", "now")
        command = self._ask(asked.kind, asked.name, asked.args)
        if command is None:
            now = self._engine.clock.now()
            command = self._record(replace(asked, value=now, started_at=now, ended_at=now))
        return command.value

    def wait_signal(self, name):
        asked = Command("signal", name)
        command = self._ask(asked.kind, asked.name, asked.args)
        if command is None and not self._inbox[name]:
            raise self._stop(WorkflowBlocked(name))
        signal = self._inbox[name].popleft() if self._inbox[name] else None
        if command is None:
            command = self._record(replace(asked, value=signal.payload))
        return deepcopy(command.value)


class DurableEngine:
    def signal(self, state, name, payload=None):
        signal = Signal(name, _faithful(payload, f"signal {name}: payload"), self.clock.now())
        self.journal(signal)
        return replace(state, commands=list(state.commands), signals=[*state.signals, signal])
