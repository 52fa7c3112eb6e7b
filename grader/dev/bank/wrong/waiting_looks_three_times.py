"""The signal may arrive after a short wait.

wait_signal polls three times, with a longer pause each time, and then gives up.
Every waiting run blocks its worker for two minutes, each time it is run.
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
