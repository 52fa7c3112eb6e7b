"""A payload comes from outside, so it is JSON anyway.

It is copied and not checked; a value that JSON cannot represent is noticed when the state is saved.
After one NaN in a form, the run can never be saved again.
"""

BELIEF = "M14s"
TODO = 5
RULES = ("R5",)


class DurableEngine:
    def signal(self, state, name, payload=None):
        signal = Signal(name, deepcopy(payload), self.clock.now())
        self.journal(signal)
        state = state.copy()
        state.signals.append(signal)
        return state
