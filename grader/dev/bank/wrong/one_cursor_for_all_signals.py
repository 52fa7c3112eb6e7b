"""The signals are a list, and the run is at one position in it.

One cursor moves over all signals; the next one must have the name for which the run waits.
A note that the workflow never reads is ahead of the approval, and the refund waits for ever.
"""

BELIEF = "M9f"
TODO = 3
RULES = ("R8",)


class Context:
    def __init__(self, engine, state):
        self.workflow_id, self._engine = state.workflow_id, engine
        self._history, self._position = state.commands, 0
        self._signals, self._cursor = list(state.signals), 0
        self._stopped, self._crashed = None, False

    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        here = self._signals[self._cursor : self._cursor + 1]
        if command is None:
            if [signal.name for signal in here] != [name]:
                raise self._stop(WorkflowBlocked(name))
            now = self._engine.clock.now()
            command = self._record(Command("signal", name, value=here[0].payload, started_at=now, ended_at=now))
        self._cursor += 1
        return deepcopy(command.value)
