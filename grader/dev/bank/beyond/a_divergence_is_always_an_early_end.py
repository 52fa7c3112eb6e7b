"""A run that diverged has not read its history, and that is what its error says.

run reports every divergence as a workflow that ends without asking for the next record.
The workflow asked for another payment, and the report does not say which.
"""

BELIEF = "M22p"
TODO = 4
RULES = ("R3",)


class DurableEngine:
    def run(self, workflow, state):
        state = state.copy()
        ctx = Context(self, state)
        ended = None
        try:
            value = workflow(ctx, deepcopy(state.input))
        except (WorkflowBlocked, Exception) as error:
            ended = error
        ended = ctx._stopped or ended
        unread = state.commands[ctx._position :]
        if unread and not ctx._crashed and isinstance(ended, (type(None), ActivityError, RuntimeError)):
            ended = NonDeterminismError(ctx._position, unread[0], None)
        if ended is None:
            return RunResult("completed", state, value=value)
        if isinstance(ended, WorkflowBlocked):
            return RunResult("blocked", state, waiting_for=ended.waiting_for)
        if isinstance(ended, (ActivityError, RuntimeError)) and not ctx._crashed:
            return RunResult("failed", state, error=f"{type(ended).__name__}: {ended}")
        raise ended
