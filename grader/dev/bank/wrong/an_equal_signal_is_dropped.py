"""The same signal twice is a mistake of the sender.

A signal with the name and payload of an earlier one is not added.
Two parcels were each confirmed with "ok"; the second confirmation is lost, and the run waits for ever.
"""

BELIEF = "M21f"
TODO = 5
RULES = ("R8",)


class DurableEngine:
    def signal(self, state, name, payload=None):
        signal = Signal(name, _faithful(payload, f"signal {name}: payload"), self.clock.now())
        if any((s.name, s.payload) == (name, signal.payload) for s in state.signals):
            return state.copy()
        self.journal(signal)
        state = state.copy()
        state.signals.append(signal)
        return state
