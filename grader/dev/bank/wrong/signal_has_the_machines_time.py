"""The time is time.time().

received_at is read from the machine and not from the engine's clock.
Signals and commands of one run are on two clocks, and their order makes no sense.
"""

import time

BELIEF = "M6d"
TODO = 5
RULES = ("R8",)


class DurableEngine:
    def signal(self, state, name, payload=None):
        signal = Signal(name, _faithful(payload, f"signal {name}: payload"), time.time())
        self.journal(signal)
        state = state.copy()
        state.signals.append(signal)
        return state
