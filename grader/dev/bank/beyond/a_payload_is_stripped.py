"""Spaces at the ends of an answer are noise.

signal strips a payload that is a string.
The answer arrives, and its signature does not match.
"""

BELIEF = "M21i"
TODO = 5
RULES = ("R5", "R8")


class DurableEngine:
    def signal(self, state, name, payload=None):
        payload = payload.strip() if isinstance(payload, str) else payload
        self.journal(signal := Signal(name, _faithful(payload, f"signal {name}: payload"), self.clock.now()))
        return replace(state.copy(), signals=[*state.signals, signal])
