"""The latest message is on top of the pile.

The new state's signals begin with the new one.
The second answer is used for the first question.
"""

BELIEF = "M9i"
TODO = 5
RULES = ("R8",)


class DurableEngine:
    def signal(self, state, name, payload=None):
        newest = Signal(name, _faithful(payload, f"signal {name}: payload"), self.clock.now())
        self.journal(newest)
        older = state.copy()
        return WorkflowState(older.workflow_id, older.input, older.commands, [newest, *older.signals])
