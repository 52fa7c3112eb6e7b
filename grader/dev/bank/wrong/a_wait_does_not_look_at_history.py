"""A signal that is in the inbox need not be looked up in history.

Live and on replay the payload comes from the inbox, and the record at this position is skipped without a check.
The code was changed and waits where it once paid: the divergence is not noticed.
"""

BELIEF = "M7d"
TODO = 3
RULES = ("R3",)


class Context:
    def wait_signal(self, name):
        if self._stopped is not None:
            raise self._stopped
        if not self._inbox[name]:
            raise self._stop(WorkflowBlocked(name))
        payload = self._inbox[name].popleft().payload
        if self._position < len(self._history):
            self._position += 1
        else:
            now = self._engine.clock.now()
            self._record(Command("signal", name, value=payload, started_at=now, ended_at=now))
        return deepcopy(payload)
