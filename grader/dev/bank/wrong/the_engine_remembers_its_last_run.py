"""An engine serves one run.

The engine keeps one context for all runs, with the position of the last one.
The second customer's run starts with what the first one's run left behind.
"""

BELIEF = "M25c"
TODO = 4
RULES = ("R2",)


class DurableEngine:
    def run(self, workflow, state):
        state = state.copy()
        self._ctx = ctx = getattr(self, "_ctx", None) or Context(self, state)
        ctx._history, ctx.workflow_id = state.commands, state.workflow_id
        ended = None
        try:
            value = workflow(ctx, deepcopy(state.input))
        except (WorkflowBlocked, Exception) as error:
            ended = error
        ended = ctx._stopped or ended
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
