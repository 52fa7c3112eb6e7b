"""A message that was answered can be deleted.

The state keeps only the signals that are still unread.
The approval is gone from the state: an audit cannot find what Ana said.
"""

BELIEF = "M9b"
TODO = 3
RULES = ("R8",)


class Context:
    def __init__(self, engine, state):
        self.workflow_id, self._engine, self._state = state.workflow_id, engine, state
        self._history, self._position, self._stopped, self._crashed = state.commands, 0, None, False

    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        if command is not None:
            return deepcopy(command.value)
        places = [i for i, signal in enumerate(self._state.signals) if signal.name == name]
        if not places:
            raise self._stop(WorkflowBlocked(name))
        now, payload = self._engine.clock.now(), self._state.signals[places[0]].payload
        command = self._record(Command("signal", name, value=payload, started_at=now, ended_at=now))
        self._state.signals.pop(places[0])
        return deepcopy(payload)
