"""No run waits for it yet, so it can be dropped.

A signal that arrives before the first run is dropped.
The boss approves before the worker has started; the refund waits for ever.
"""

BELIEF = "M9h"
TODO = 5
RULES = ("R8",)


class DurableEngine:
    def signal(self, state, name, payload=None):
        signal = Signal(name, _faithful(payload, f"signal {name}: payload"), self.clock.now())
        if not state.commands:
            return state.copy()
        self.journal(signal)
        state = state.copy()
        state.signals.append(signal)
        return state
