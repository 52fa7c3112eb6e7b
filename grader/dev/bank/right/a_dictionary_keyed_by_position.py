"""Recorded commands are in a dictionary by position; new ones go to the list and the journal only."""


class Context:
    def __init__(self, engine, state):
        self.workflow_id = state.workflow_id
        self._engine = engine
        self._history = state.commands
        self._past = dict(enumerate(state.commands))
        self._position = 0
        self._inbox = {}
        for signal in state.signals:
            self._inbox.setdefault(signal.name, []).append(signal.payload)
        self._stopped = None
        self._crashed = False

    def _ask(self, kind, name, args):
        if self._stopped:
            raise self._stopped
        if self._position not in self._past:
            return None
        recorded = self._past[self._position]
        before, now = [recorded.kind, recorded.name], [kind, name]
        if self._engine.guard != "names":
            before.append(json.dumps(recorded.args, sort_keys=True))
            now.append(json.dumps(args, sort_keys=True))
        if before != now:
            self._stop(NonDeterminismError(self._position, recorded, Command(kind, name, args)))
            raise self._stopped
        self._position += 1
        return recorded

    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        waiting = self._inbox.get(name, [])
        if command is None:
            if len(waiting) == 0:
                raise self._stop(WorkflowBlocked(name))
            command = self._record(Command("signal", name, value=waiting[0]))
        del waiting[:1]
        return json.loads(json.dumps(command.value))
