"""The state has the signal, so a failing journal is no disaster.

An error of the journal is caught when a signal is delivered.
The boss is told that the approval has arrived; after the next restart it has not.
"""

BELIEF = "M14r"
TODO = 5
RULES = ("R1",)


class DurableEngine:
    def signal(self, state, name, payload=None):
        signal = Signal(name, _faithful(payload, f"signal {name}: payload"), self.clock.now())
        try:
            self.journal(signal)
        except Exception as error:
            print(f"the journal could not be written: {error}")
        state = state.copy()
        state.signals.append(signal)
        return state
