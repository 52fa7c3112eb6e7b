"""The newest comes first.

The signal is put before the older ones.
The second answer is used for the first question.
"""

BELIEF = "M9i"
TODO = 5
RULES = ("R8",)


class DurableEngine:
    def signal(self, state, name, payload=None):
        signal = Signal(name, _faithful(payload, f"signal {name}: payload"), self.clock.now())
        self.journal(signal)
        state = state.copy()
        state.signals.insert(0, signal)
        return state
