"""The payload that I was given is mine.

The signal holds the caller's own object.
The caller uses the form again for the next customer, and the first approval has the second name.
"""

BELIEF = "M23f"
TODO = 5
RULES = ("R5", "R8")


class DurableEngine:
    def signal(self, state, name, payload=None):
        signal = Signal(name, payload, self.clock.now())
        self.journal(signal)
        state = state.copy()
        state.signals.append(signal)
        return state
