"""History is read through an iterator, and the position is counted beside it."""


class Context:
    def __init__(self, engine, state):
        self.workflow_id = state.workflow_id
        self._engine = engine
        self._history = state.commands
        self._recorded = iter(tuple(state.commands))
        self._position = 0
        self._inbox = defaultdict(deque)
        for signal in state.signals:
            self._inbox[signal.name].append(signal)
        self._stopped = None
        self._crashed = False

    def _ask(self, kind, name, args):
        if self._stopped is not None:
            raise self._stopped
        recorded = next(self._recorded, None)
        if recorded is None:
            return None
        issued = Command(kind, name, args)
        same_arguments = self._engine.guard == "names" or _canonical(recorded.args) == _canonical(args)
        if recorded.kind != kind or recorded.name != name or not same_arguments:
            raise self._stop(NonDeterminismError(self._position, recorded, issued))
        self._position += 1
        return recorded
