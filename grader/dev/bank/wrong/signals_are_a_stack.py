"""The latest message is on top.

The inbox is searched from its end, and the first signal found is taken.
Two answers were given; they are used in the wrong order.
"""

BELIEF = "M9g"
TODO = 3
RULES = ("R8",)


class Context:
    def wait_signal(self, name):
        command, inbox = self._ask("signal", name, []), self._inbox[name]
        newest = next(reversed(inbox), None)
        if command is None and newest is None:
            raise self._stop(WorkflowBlocked(name))
        if newest is not None:
            del inbox[-1]
        if command is None:
            now = self._engine.clock.now()
            command = self._record(Command("signal", name, value=newest.payload, started_at=now, ended_at=now))
        return deepcopy(command.value)
