"""A value that JSON cannot represent can be converted to a string.

json.dumps silently converts what it does not know with `default=str`.
Ana ticks two items of an order; one long string arrives, and the refund covers neither.
"""

BELIEF = "M14s"
TODO = 5
RULES = ("R5",)


class DurableEngine:
    def signal(self, state, name, payload=None):
        signal = Signal(name, json.loads(json.dumps(payload, default=str)), self.clock.now())
        self.journal(signal)
        state = state.copy()
        state.signals += [signal]
        return state
