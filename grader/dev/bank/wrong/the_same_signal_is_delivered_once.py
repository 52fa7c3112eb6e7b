"""Deliveries come twice, so the second one is filtered out.

The names and payloads of all signals are kept in a set as text; a signal whose text is in it is not added.
Two parcels were each confirmed with "ok"; the second confirmation is lost, and the run waits for ever.
"""

BELIEF = "M21f"
TODO = 5
RULES = ("R8",)


class DurableEngine:
    def signal(self, state, name, payload=None):
        new, payload = state.copy(), _faithful(payload, f"signal {name}: payload")
        seen = {_canonical([signal.name, signal.payload]) for signal in state.signals}
        if _canonical([name, payload]) not in seen:
            new.signals.append(Signal(name, payload, self.clock.now()))
            self.journal(new.signals[-1])
        return new
