"""What was checked is safe.

The payload is checked, and then the signal holds the caller's own object.
The caller uses the form again for the next customer, and the first approval has the second name.
"""

BELIEF = "M23f"
TODO = 5
RULES = ("R5", "R8")


class DurableEngine:
    def signal(self, state, name, payload=None):
        _faithful(payload, f"signal {name}: payload")
        signal = Signal(name, payload, self.clock.now())
        self.journal(signal)
        new = state.copy()
        new.signals.append(signal)
        return new
