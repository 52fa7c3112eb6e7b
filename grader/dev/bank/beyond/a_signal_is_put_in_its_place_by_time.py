"""A signal has a time, and its place in the list is that of its time.

signal looks for the first signal with a later time, and inserts the new one before it.
A worker whose clock is late puts its signal before one that had come earlier.
"""

BELIEF = "M9l"
TODO = 5
RULES = ("R8",)


class DurableEngine:
    def signal(self, state, name, payload=None):
        signal = Signal(name, _faithful(payload, f"signal {name}: payload"), self.clock.now())
        self.journal(signal)
        new = state.copy()
        place = 0
        while place < len(new.signals) and new.signals[place].received_at <= signal.received_at:
            place += 1
        new.signals.insert(place, signal)
        return new
