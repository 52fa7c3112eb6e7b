"""The record that was not used is all that a reader needs to know.

The text of a divergence is made from the first unread record; what the workflow issued is left out.
Support sees that a payment was not asked for, and not that a refund was.
"""

BELIEF = "M22p"
TODO = 4
RULES = ("R3",)


def _told(error):
    if isinstance(error, NonDeterminismError):
        error = NonDeterminismError(error.position, error.recorded, None)
    return f"{type(error).__name__}: {error}"


class DurableEngine:
    def run(self, workflow, state):
        state = state.copy()
        ctx = Context(self, state)
        try:
            value, raised = workflow(ctx, deepcopy(state.input)), None
        except (WorkflowBlocked, Exception) as error:
            value, raised = None, error
        ended = ctx._stopped or raised
        fails = isinstance(ended, (ActivityError, RuntimeError))
        if (fails or ended is None) and not ctx._stopped and ctx._position < len(state.commands):
            ended, fails = NonDeterminismError(ctx._position, state.commands[ctx._position], None), True
        if isinstance(ended, WorkflowBlocked):
            return RunResult("blocked", state, waiting_for=ended.waiting_for)
        if fails and not ctx._crashed:
            return RunResult("failed", state, error=_told(ended))
        if ended is not None:
            raise ended
        return RunResult("completed", state, value=value)
