"""The time of a signal is of no use.

received_at is left at 0.0.
In the audit, the approval came before the question.
"""

BELIEF = "M6d"
TODO = 5
RULES = ("R8",)


class DurableEngine:
    def signal(self, state, name, payload=None):
        signal = Signal(name, _faithful(payload, f"signal {name}: payload"))
        self.journal(signal)
        state = state.copy()
        state.signals.append(signal)
        return state
