"""A run resumes at the line where it died.

The position starts at the end of history, as if the workflow resumed there; but it starts at its first line.
After a restart every step runs a second time.
"""

BELIEF = "M1a"
TODO = 1
RULES = ("R2",)


class Context:
    def __init__(self, engine, state):
        self.workflow_id = state.workflow_id
        self._engine = engine
        self._history = state.commands
        self._position = len(state.commands)
        self._inbox = defaultdict(deque)
        for signal in state.signals:
            self._inbox[signal.name].append(signal)
        self._stopped = None
        self._crashed = False
