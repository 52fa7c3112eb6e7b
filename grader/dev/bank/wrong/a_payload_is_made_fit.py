"""What is no JSON can be made into a text.

json.dumps writes what it does not know with `default=str`, and nobody hears of it.
Ana ticks two items of an order; what arrives is one long text, and the refund is for nothing.
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
