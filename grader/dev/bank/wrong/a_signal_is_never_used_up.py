"""An approval that was given stays given.

Every wait returns the first payload of that name, and the inbox is never emptied.
One approval approves every later request.
"""

BELIEF = "M9d"
TODO = 3
RULES = ("R8",)


class Context:
    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        if command is None:
            for signal in self._inbox[name]:
                now = self._engine.clock.now()
                command = self._record(Command("signal", name, value=signal.payload, started_at=now, ended_at=now))
                break
            else:
                raise self._stop(WorkflowBlocked(name))
        return deepcopy(command.value)
