"""To be safe, write to the journal twice.

Each signal is written to the journal before and after the new state is made.
After a crash there are two approvals where one was given, and two payments go out.
"""

BELIEF = "M14q"
TODO = 5
RULES = ("R1",)


class DurableEngine:
    def signal(self, state, name, payload=None):
        signal = Signal(name, _faithful(payload, f"signal {name}: payload"), self.clock.now())
        self.journal(signal)
        state = state.copy()
        state.signals.append(signal)
        self.journal(signal)
        return state
