"""A failed run is rolled back, like a transaction.

A failed run returns the state that it was given, without what it recorded.
The payments of the failed run are in no history, so they are never refunded.
"""

BELIEF = "M3a"
TODO = 4
RULES = ("R6",)


class DurableEngine:
    def run(self, workflow, state):
        given = state
        state = state.copy()
        ctx = Context(self, state)
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
            return RunResult("failed", given, error=f"{type(ended).__name__}: {ended}")
        raise ended
