"""Signals are handled in the order in which they came.

There is one queue; a signal that is not first in it is not found.
A note that the workflow never reads is ahead of the approval, and the refund waits for ever.
"""

BELIEF = "M9f"
TODO = 3
RULES = ("R8",)


class Context:
    def __init__(self, engine, state):
        self.workflow_id = state.workflow_id
        self._engine = engine
        self._history = state.commands
        self._position = 0
        self._inbox = deque(state.signals)
        self._stopped = None
        self._crashed = False

    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        if command is None:
            if not self._inbox or self._inbox[0].name != name:
                raise self._stop(WorkflowBlocked(name))
            now = self._engine.clock.now()
            command = self._record(Command("signal", name, value=self._inbox[0].payload, started_at=now, ended_at=now))
        if self._inbox:
            self._inbox.popleft()
        return deepcopy(command.value)
