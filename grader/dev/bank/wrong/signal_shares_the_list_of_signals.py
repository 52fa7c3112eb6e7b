"""A new state object is a new state.

The new state has the given one's own list of signals, so the signal shows in both.
A fork of the run gets the approval that was given to the other one.
"""

BELIEF = "M18b"
TODO = 5
RULES = ("R10",)


class DurableEngine:
    def signal(self, state, name, payload=None):
        signal = Signal(name, _faithful(payload, f"signal {name}: payload"), self.clock.now())
        self.journal(signal)
        state = WorkflowState(state.workflow_id, state.input, state.commands, state.signals)
        state.signals.append(signal)
        return state
