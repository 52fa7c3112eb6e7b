"""The record at this position must be my answer.

On replay the value of the next record is returned, whatever that record is about.
The code was changed and waits where it once paid: it takes the receipt for an approval.
"""

BELIEF = "M7d"
TODO = 3
RULES = ("R3",)


class Context:
    def wait_signal(self, name):
        if self._stopped is not None:
            raise self._stopped
        inbox = self._inbox[name]
        if self._position < len(self._history):
            recorded = self._history[self._position]
            self._position += 1
        elif inbox:
            now = self._engine.clock.now()
            recorded = self._record(Command("signal", name, value=inbox[0].payload, started_at=now, ended_at=now))
        else:
            raise self._stop(WorkflowBlocked(name))
        if inbox:
            inbox.popleft()
        return deepcopy(recorded.value)
