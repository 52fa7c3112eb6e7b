"""Signals belong in the order of their times.

signal sorts the list of the new state by `received_at`.
The clock was set back between two answers, and the second one comes first.
"""

BELIEF = "M9l"
TODO = 5
RULES = ("R8",)


class DurableEngine:
    def signal(self, state, name, payload=None):
        now = _typed(float, self.clock.now(), "the clock")
        self.journal(signal := Signal(name, _faithful(payload, f"signal {name}: payload"), now))
        signals = sorted([*state.signals, signal], key=lambda one: one.received_at)
        return replace(state.copy(), signals=signals)
