"""An empty payload asks for nothing.

`if not payload` rejects None, 0, "" and False, and the state stays unchanged.
"Approved: False" is not delivered; the run keeps waiting.
"""

BELIEF = "M20e"
TODO = 5
RULES = ("R8",)


class DurableEngine:
    def signal(self, state, name, payload=None):
        state = state.copy()
        if payload:
            signal = Signal(name, _faithful(payload, f"signal {name}: payload"), self.clock.now())
            self.journal(signal)
            state.signals.append(signal)
        return state
