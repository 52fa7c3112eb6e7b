"""A signal concerns the signals, so the rest need not be copied.

The new state has the workflow's id and its signals.
After the approval the refund no longer knows which order it is for, and does every step again.
"""

BELIEF = "M22l"
TODO = 5
RULES = ("R8", "R10")


class DurableEngine:
    def signal(self, state, name, payload=None):
        signal = Signal(name, _faithful(payload, f"signal {name}: payload"), self.clock.now())
        self.journal(signal)
        return WorkflowState(state.workflow_id, signals=[*state.signals, signal])
