"""A retry starts the workflow again.

When the workflow fails, its history is deleted and it starts again at its first line.
Steps that succeeded are paid for again with every retry.
"""

BELIEF = "M3b"
TODO = 4
RULES = ("R13",)


class DurableEngine:
    def run(self, workflow, state):
        for attempt in range(1, 4):
            fresh = state.copy()
            ctx = Context(self, fresh)
            ended = None
            try:
                value = workflow(ctx, deepcopy(fresh.input))
            except (WorkflowBlocked, Exception) as error:
                ended = error
            ended = ctx._stopped or ended
            unread = fresh.commands[ctx._position :]
            if unread and not ctx._stopped and isinstance(ended, (type(None), ActivityError, RuntimeError)):
                ended = NonDeterminismError(ctx._position, unread[0], None)
            if not isinstance(ended, ActivityError) or attempt == 3:
                break
        if ended is None:
            return RunResult("completed", fresh, value=value)
        if isinstance(ended, WorkflowBlocked):
            return RunResult("blocked", fresh, waiting_for=ended.waiting_for)
        if isinstance(ended, (ActivityError, RuntimeError)) and not ctx._crashed:
            return RunResult("failed", fresh, error=f"{type(ended).__name__}: {ended}")
        raise ended
