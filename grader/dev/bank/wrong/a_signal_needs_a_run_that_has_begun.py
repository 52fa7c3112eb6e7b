"""A question cannot be answered before it is asked.

A signal for a run that has no history yet is refused.
The boss approves before the worker has started, and gets an error; the refund waits for ever.
"""

BELIEF = "M9h"
TODO = 5
RULES = ("R8",)


class DurableEngine:
    def signal(self, state, name, payload=None):
        signal = Signal(name, _faithful(payload, f"signal {name}: payload"), self.clock.now())
        if len(state.commands) + len(state.signals) == 0:
            raise LookupError(f"{state.workflow_id} has not begun, so nobody waits for {name}")
        self.journal(signal)
        state = state.copy()
        state.signals.append(signal)
        return state
