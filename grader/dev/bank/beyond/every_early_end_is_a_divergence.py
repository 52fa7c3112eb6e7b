"""A workflow that ends before its history has diverged.

When the workflow is over, in whatever way, its position is compared with the length of history before anything else.
An error of the programmer, and Ctrl-C, count as a divergence, and the run is never continued.
"""

BELIEF = "M22o"
TODO = 4
RULES = ("R13", "R4")


class DurableEngine:
    def run(self, workflow, state):
        state = state.copy()
        ctx = Context(self, state)
        error = value = None
        try:
            value = workflow(ctx, deepcopy(state.input))
        except BaseException as raised:
            error = raised
        if ctx._position < len(state.commands):
            error = ctx._stopped if isinstance(ctx._stopped, NonDeterminismError) else None
            error = error or NonDeterminismError(ctx._position, state.commands[ctx._position], None)
            return RunResult("failed", state, error=f"NonDeterminismError: {error}")
        error = ctx._stopped or error
        if isinstance(error, WorkflowBlocked):
            return RunResult("blocked", state, waiting_for=error.waiting_for)
        if isinstance(error, (ActivityError, RuntimeError)) and not ctx._crashed:
            return RunResult("failed", state, error=f"{type(error).__name__}: {error}")
        if error is not None:
            raise error
        return RunResult("completed", state, value=value)
