"""The signal is in the state; the journal is optional.

Every error of the journal is suppressed.
The boss is told that the approval has arrived; after the next restart it has not.
"""

BELIEF = "M14r"
TODO = 5
RULES = ("R1",)


class DurableEngine:
    def signal(self, state, name, payload=None):
        signal = Signal(name, _faithful(payload, f"signal {name}: payload"), self.clock.now())
        new = WorkflowState(state.workflow_id, deepcopy(state.input), [*state.commands], [*state.signals, signal])
        with suppress(Exception):
            self.journal(signal)
        return new
