"""A state is its commands and signals.

The new state is built from these, and the input is left out.
After the approval the refund no longer knows which order it is for.
"""

BELIEF = "M22l"
TODO = 5
RULES = ("R8", "R10")


class DurableEngine:
    def signal(self, state, name, payload=None):
        signal = Signal(name, _faithful(payload, f"signal {name}: payload"), self.clock.now())
        self.journal(signal)
        state = WorkflowState(state.workflow_id, None, list(state.commands), list(state.signals))
        state.signals.append(signal)
        return state
