"""The new state has the signal, so it is safe.

A signal is not written to the journal.
A power cut loses the boss's approval.
"""

BELIEF = "M14p"
TODO = 5
RULES = ("R1",)


class DurableEngine:
    def signal(self, state, name, payload=None):
        signal = Signal(name, _faithful(payload, f"signal {name}: payload"), self.clock.now())
        state = state.copy()
        state.signals.append(signal)
        return state
