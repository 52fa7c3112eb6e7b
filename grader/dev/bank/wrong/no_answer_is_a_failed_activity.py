"""A person who does not answer is like a bank that does not answer.

If no signal is there, wait_signal raises ActivityError, and the run has failed.
The refund is cancelled in the same second in which Ana is asked.
"""

BELIEF = "M16c"
TODO = 3
RULES = ("R9",)


class Context:
    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        came = self._inbox[name].popleft() if self._inbox[name] else None
        if command is None and came is None:
            raise self._stop(ActivityError(name, "TimeoutError", "no signal has come", 1))
        if command is None:
            now = self._engine.clock.now()
            command = self._record(Command("signal", name, value=came.payload, started_at=now, ended_at=now))
        return deepcopy(command.value)
