"""A signal without a payload means nothing.

A payload of None is not delivered.
The button that sends only "go" has no effect.
"""

BELIEF = "M20e"
TODO = 5
RULES = ("R8",)


class DurableEngine:
    def signal(self, state, name, payload=None):
        if payload is None:
            return state.copy()
        signal = Signal(name, _faithful(payload, f"signal {name}: payload"), self.clock.now())
        self.journal(signal)
        state = state.copy()
        state.signals.append(signal)
        return state
