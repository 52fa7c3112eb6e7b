"""A journal may miss something, so tell it again.

The journal is told of the signal two times, one right after the other.
After a crash there are two approvals where one was given, and two payments go out.
"""

BELIEF = "M14q"
TODO = 5
RULES = ("R1",)


class DurableEngine:
    def signal(self, state, name, payload=None):
        new = state.copy()
        new.signals.append(Signal(name, _faithful(payload, f"signal {name}: payload"), self.clock.now()))
        for _ in range(2):
            self.journal(new.signals[-1])
        return new
