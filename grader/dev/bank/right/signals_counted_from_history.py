"""There is no inbox: the signal commands in history say how many signals of a name are consumed."""


class Context:
    def __init__(self, engine, state):
        self.workflow_id, self._engine, self._state = state.workflow_id, engine, state
        self._history, self._position, self._stopped, self._crashed = state.commands, 0, None, False

    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        if command is None:
            consumed = sum(1 for c in self._history if c.kind == "signal" and c.name == name)
            left = [s for s in self._state.signals if s.name == name][consumed:]
            if not left:
                raise self._stop(WorkflowBlocked(name))
            command = self._record(Command("signal", name, value=left[0].payload))
        return deepcopy(command.value)
