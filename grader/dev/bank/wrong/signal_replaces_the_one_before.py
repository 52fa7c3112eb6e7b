"""There is one signal of each name.

A new signal replaces an older one of the same name.
Two orders were approved; one approval is left.
"""

BELIEF = "M9j"
TODO = 5
RULES = ("R8",)


class DurableEngine:
    def signal(self, state, name, payload=None):
        signal = Signal(name, _faithful(payload, f"signal {name}: payload"), self.clock.now())
        self.journal(signal)
        state = state.copy()
        state.signals = [s for s in state.signals if s.name != name] + [signal]
        return state
