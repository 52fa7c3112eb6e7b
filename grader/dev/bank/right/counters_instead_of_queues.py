"""The consumed signals are counted by name; the signals stay where they are."""

from collections import Counter


class Context:
    def __init__(self, engine, state):
        self.workflow_id = state.workflow_id
        self._engine = engine
        self._history = state.commands
        self._position = 0
        self._signals = tuple(state.signals)
        self._used = Counter()
        self._stopped = None
        self._crashed = False

    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        k = self._used[name]
        self._used[name] += 1
        if command is None:
            arrived = [signal.payload for signal in self._signals if signal.name == name]
            if k >= len(arrived):
                raise self._stop(WorkflowBlocked(name))
            now = self._engine.clock.now()
            command = self._record(Command("signal", name, [], True, arrived[k], started_at=now, ended_at=now))
        return deepcopy(command.value)
