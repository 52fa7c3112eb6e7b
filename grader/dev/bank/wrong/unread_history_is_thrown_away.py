"""A record that the workflow does not read is out of date.

Records that the workflow has not read are deleted when it returns.
A step was removed from the code; its payment is gone from history, and is never refunded.
"""

BELIEF = "M7e"
TODO = 4
RULES = ("R3", "R4")


class DurableEngine:
    def run(self, workflow, state):
        state = state.copy()
        ctx, ended = Context(self, state), None
        try:
            value = workflow(ctx, deepcopy(state.input))
        except (WorkflowBlocked, Exception) as error:
            ended = error
        ended = ctx._stopped or ended
        if not ctx._stopped:
            del state.commands[ctx._position :]
        if ended is None:
            return RunResult("completed", state, value=value)
        if isinstance(ended, WorkflowBlocked):
            return RunResult("blocked", state, waiting_for=ended.waiting_for)
        if isinstance(ended, (ActivityError, RuntimeError)) and not ctx._crashed:
            return RunResult("failed", state, error=f"{type(ended).__name__}: {ended}")
        raise ended
