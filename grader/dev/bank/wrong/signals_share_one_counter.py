"""The second wait takes the second signal.

The waits are counted over all names, and the count is the index in the list of each name.
The first wait for an approval never ends, because another signal was read before it.
"""

BELIEF = "M9f"
TODO = 3
RULES = ("R8",)


class Context:
    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        if command is None:
            consumed = sum(command.kind == "signal" for command in self._history)
            mine = list(self._inbox[name])
            if consumed >= len(mine):
                raise self._stop(WorkflowBlocked(name))
            now = self._engine.clock.now()
            command = self._record(Command("signal", name, value=mine[consumed].payload, started_at=now, ended_at=now))
        return deepcopy(command.value)
