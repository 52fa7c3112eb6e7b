"""If history is not read to its end, the run has diverged, whatever the workflow raised.

run looks for unread records first, unless something had stopped the run.
A spelling mistake is reported as a divergence, and the run has failed for good.
"""

BELIEF = "M22o"
TODO = 4
RULES = ("R13", "R4")


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
        if unread and not ctx._stopped:
            ended = NonDeterminismError(ctx._position, unread[0], None)
        if ended is None:
            return RunResult("completed", state, value=value)
        if isinstance(ended, WorkflowBlocked):
            return RunResult("blocked", state, waiting_for=ended.waiting_for)
        if isinstance(ended, (ActivityError, RuntimeError)) and not ctx._crashed:
            return RunResult("failed", state, error=f"{type(ended).__name__}: {ended}")
        raise ended
