"""A signal that was read can be thrown away.

A consumed signal is removed from the state's signals.
On the next replay the wait takes the signal that was meant for the next one.
"""

BELIEF = "M9b"
TODO = 3
RULES = ("R8",)


class Context:
    def __init__(self, engine, state):
        self.workflow_id = state.workflow_id
        self._engine = engine
        self._history = state.commands
        self._position = 0
        self._signals = state.signals
        self._stopped = None
        self._crashed = False

    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        if command is None:
            mine = [signal for signal in self._signals if signal.name == name]
            if not mine:
                raise self._stop(WorkflowBlocked(name))
            now = self._engine.clock.now()
            command = self._record(Command("signal", name, value=mine[0].payload, started_at=now, ended_at=now))
            self._signals.remove(mine[0])
        return deepcopy(command.value)
