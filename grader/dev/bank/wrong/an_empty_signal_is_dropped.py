"""Who sends nothing wants nothing.

`if not payload` sends None, 0, "" and False back, and the state stays as it was.
"Approved: False" is not delivered; the run waits on.
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
