"""A workflow that returned a value has completed, unless it waits.

If the workflow returns, run looks for a wait and for a divergence that it caught, and for nothing else.
The disk was full and the workflow caught the error: the run is completed, and its payment is not recorded.
"""

BELIEF = "M19f"
TODO = 4
RULES = ("R1", "R9")


class DurableEngine:
    def run(self, workflow, state):
        state = state.copy()
        ctx = Context(self, state)
        ended = None
        try:
            value = workflow(ctx, deepcopy(state.input))
            if isinstance(ctx._stopped, (WorkflowBlocked, NonDeterminismError)):
                ended = ctx._stopped
        except (WorkflowBlocked, Exception) as error:
            ended = ctx._stopped or error
        unread = state.commands[ctx._position :]
        if unread and not ctx._stopped and isinstance(ended, (type(None), ActivityError, RuntimeError)):
            ended = NonDeterminismError(ctx._position, unread[0], None)
        if ended is None:
            return RunResult("completed", state, value=value)
        if isinstance(ended, WorkflowBlocked):
            return RunResult("blocked", state, waiting_for=ended.waiting_for)
        if isinstance(ended, (ActivityError, RuntimeError)) and not ctx._crashed:
            return RunResult("failed", state, error=f"{type(ended).__name__}: {ended}")
        raise ended
