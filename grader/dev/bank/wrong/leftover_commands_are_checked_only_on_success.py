"""Only a run that succeeds can have missed something.

Unread history is checked if the workflow returns, but not if it fails.
The changed code gives up early, and the run ends as an ordinary failure: the payment in history is never undone.
"""

BELIEF = "M7e"
TODO = 4
RULES = ("R3", "R4")


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
        if unread and not ctx._stopped and ended is None:
            ended = NonDeterminismError(ctx._position, unread[0], None)
        if ended is None:
            return RunResult("completed", state, value=value)
        if isinstance(ended, WorkflowBlocked):
            return RunResult("blocked", state, waiting_for=ended.waiting_for)
        if isinstance(ended, (ActivityError, RuntimeError)) and not ctx._crashed:
            return RunResult("failed", state, error=f"{type(ended).__name__}: {ended}")
        raise ended
