"""The context keeps more than it must: texts of all records, counts, and a log of its own."""

import logging

log = logging.getLogger("my_engine")


class Context:
    def __init__(self, engine, state):
        self.workflow_id = state.workflow_id
        self._engine = engine
        self._history = state.commands
        self._texts = [_canonical([c.kind, c.name, c.args]) for c in state.commands]
        self._names = [_canonical([c.kind, c.name]) for c in state.commands]
        self._position = self._replayed = self._live = 0
        self._inbox = defaultdict(deque)
        for signal in state.signals:
            self._inbox[signal.name].append(signal)
        self._stopped, self._crashed = None, False

    def _ask(self, kind, name, args):
        if self._stopped is not None:
            raise self._stopped
        here = self._position
        if here >= len(self._texts):
            self._live += 1
            log.debug("%s: live %s %s", self.workflow_id, kind, name)
            return None
        weak = self._engine.guard == "names"
        recorded, asked = (self._names, [kind, name]) if weak else (self._texts, [kind, name, args])
        if recorded[here] != _canonical(asked):
            raise self._stop(NonDeterminismError(here, self._history[here], Command(kind, name, args)))
        self._replayed += 1
        self._position = here + 1
        return self._history[here]
