"""Perhaps it comes if one waits a little.

wait_signal looks, sleeps, looks again, each time a bit later, and gives up after the third look.
Every waiting run holds its worker for two minutes, at every look.
"""

BELIEF = "M16b"
TODO = 3
RULES = ("R9",)


class Context:
    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        inbox = self._inbox[name]
        if command is None:
            for pause in (1, 10, 100):
                if inbox:
                    break
                self._outside(self._engine.clock.sleep, pause)
            else:
                raise self._stop(WorkflowBlocked(name))
            now = self._engine.clock.now()
            command = self._record(Command("signal", name, value=inbox[0].payload, started_at=now, ended_at=now))
        if inbox:
            inbox.popleft()
        return deepcopy(command.value)
