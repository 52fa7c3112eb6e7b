"""The state has everything.

A state with the signal is built and returned; the signal is not written to the journal.
A power cut before the state is saved loses the boss's approval.
"""

from dataclasses import replace

BELIEF = "M14p"
TODO = 5
RULES = ("R1",)


class DurableEngine:
    def signal(self, state, name, payload=None):
        payload = _faithful(payload, f"signal {name}: payload")
        arrived = Signal(name=name, payload=payload, received_at=self.clock.now())
        return replace(state.copy(), signals=[*state.signals, arrived])
