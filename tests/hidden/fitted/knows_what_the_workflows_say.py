"""A workflow that swallowed what stopped it is recognised by its return value in the 14 tests."""
# ruff: noqa: F821 (the rest of the engine is the reference)


class DurableEngine:
    def run(self, workflow, state):
        state = state.copy()
        ctx = Context(self, state)
        value, ended = None, None
        try:
            value = workflow(ctx, deepcopy(state.input))
        except (WorkflowBlocked, Exception) as error:
            ended = error
        if ctx._crashed or value in ("paid without approval", "fine"):
            ended = ctx._stopped
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
