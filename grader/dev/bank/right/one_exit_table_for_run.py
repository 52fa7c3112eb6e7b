"""A table maps the type of exception that ended a run to its result."""

ENDS = (
    (WorkflowBlocked, lambda state, error: RunResult("blocked", state, waiting_for=error.waiting_for)),
    (ActivityError, lambda state, error: RunResult("failed", state, error=f"{type(error).__name__}: {error}")),
    (RuntimeError, lambda state, error: RunResult("failed", state, error=f"{type(error).__name__}: {error}")),
)


class DurableEngine:
    def run(self, workflow, state):
        state = state.copy()
        ctx = Context(self, state)
        try:
            value, why = workflow(ctx, deepcopy(state.input)), None
        except BaseException as error:
            value, why = None, error
        why = ctx._stopped or why
        may_have_left = why is None or (isinstance(why, (ActivityError, RuntimeError)) and why is not ctx._stopped)
        if may_have_left and state.commands[ctx._position :]:
            why = NonDeterminismError(ctx._position, state.commands[ctx._position], None)
        if why is None:
            return RunResult("completed", state, value=value)
        for kind, result in ENDS:
            if isinstance(why, kind) and not ctx._crashed:
                return result(state, why)
        raise why
