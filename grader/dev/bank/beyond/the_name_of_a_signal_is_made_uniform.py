"""Names of signals are written in small letters, without spaces.

signal delivers a signal under the uniform form of its name.
The workflow waits for `Approval`, and the signal of that name never reaches it.
"""

BELIEF = "M21i"
TODO = 5
RULES = ("R8",)


class DurableEngine:
    def signal(self, state, name, payload=None):
        new = state.copy()
        signal = Signal(" ".join(name.lower().split()), _faithful(payload, f"signal {name}: payload"), self.clock.now())
        self.journal(signal)
        new.signals.append(signal)
        return new
