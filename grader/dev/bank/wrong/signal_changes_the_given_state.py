"""The state is mine to change.

The signal is appended to the state that was given, and that state is returned.
Yesterday's state has today's approval.
"""

BELIEF = "M18b"
TODO = 5
RULES = ("R10",)


class DurableEngine:
    def signal(self, state, name, payload=None):
        signal = Signal(name, _faithful(payload, f"signal {name}: payload"), self.clock.now())
        self.journal(signal)
        state.signals.append(signal)
        return state
