"""A space at the end of a name is a typing error.

wait_signal takes a signal whose name differs from its own by spaces at the ends.
Two senders use two names, and their signals arrive at one wait.
"""

BELIEF = "M21h"
TODO = 3
RULES = ("R8",)


class Context:
    def wait_signal(self, name):
        for other in list(self._inbox):
            if other != name and other.strip() == name.strip():
                self._inbox[name].extend(self._inbox.pop(other))
        command, inbox = self._ask("signal", name, []), self._inbox[name]
        if command is None:
            if not inbox:
                raise self._stop(WorkflowBlocked(name))
            now = self._engine.clock.now()
            command = self._record(Command("signal", name, value=inbox[0].payload, started_at=now, ended_at=now))
        if inbox:
            inbox.popleft()
        return deepcopy(command.value)
