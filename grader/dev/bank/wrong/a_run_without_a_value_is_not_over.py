"""A finished run has a value.

`if value` decides whether the run is completed; one that returns nothing is reported as failed.
The run whose last step returns nothing is started again every night.
"""

BELIEF = "M20d"
TODO = 4
RULES = ("R6",)


class DurableEngine:
    def run(self, workflow, state):
        state = state.copy()
        ctx, ended, value = Context(self, state), None, None
        try:
            value = workflow(ctx, deepcopy(state.input))
        except (WorkflowBlocked, Exception) as error:
            ended = error
        ended = ctx._stopped or ended
        unread = state.commands[ctx._position :]
        if unread and not ctx._stopped and isinstance(ended, (type(None), ActivityError, RuntimeError)):
            ended = NonDeterminismError(ctx._position, unread[0], None)
        if value and not ended:
            return RunResult("completed", state, value=value)
        ended = ended or RuntimeError("no value came back")
        if isinstance(ended, WorkflowBlocked):
            return RunResult("blocked", state, waiting_for=ended.waiting_for)
        if isinstance(ended, (ActivityError, RuntimeError)) and not ctx._crashed:
            return RunResult("failed", state, error=f"{type(ended).__name__}: {ended}")
        raise ended
