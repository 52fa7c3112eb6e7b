"""`Approval` and `approval` are the same word.

wait_signal looks for signals whose name is the same in lower case.
A signal for the parcel releases the payment.
"""

BELIEF = "M21h"
TODO = 3
RULES = ("R8",)


class Context:
    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        signals = getattr(self, "_left", None)
        if signals is None:
            signals = self._left = [signal for queue in self._inbox.values() for signal in queue]
        mine = [signal for signal in signals if signal.name.lower() == name.lower()]
        if command is None:
            if not mine:
                raise self._stop(WorkflowBlocked(name))
            now = self._engine.clock.now()
            command = self._record(Command("signal", name, value=mine[0].payload, started_at=now, ended_at=now))
        if mine:
            signals.remove(mine[0])
        return deepcopy(command.value)
