"""The state knows what was read, and the state is saved at the end.

The record goes into the list of this run, but not to the journal.
After a crash the wait is missing in history, and the records after it no longer fit.
"""

BELIEF = "M14k"
TODO = 3
RULES = ("R1",)


class Context:
    def wait_signal(self, name):
        if (command := self._ask("signal", name, [])) is None:
            if not self._inbox[name]:
                raise self._stop(WorkflowBlocked(name))
            payload, now = self._inbox[name][0].payload, self._engine.clock.now()
            command = Command("signal", name, [], True, payload, started_at=now, ended_at=now)
            self._history.extend([command])
            self._position = len(self._history)
        if self._inbox[name]:
            self._inbox[name].popleft()
        return deepcopy(command.value)
