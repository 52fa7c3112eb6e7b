"""The caller of run decides what to do with a run that waits.

A workflow that waits raises WorkflowBlocked, and run passes it on after it has made sure that it was not caught.
No result says which signal the order waits for, and its new state is lost.
"""

BELIEF = "M22q"
TODO = 4
RULES = ("R9",)


class DurableEngine:
    def run(self, workflow, state):
        state = state.copy()
        ctx = Context(self, state)
        caught = None
        try:
            value = workflow(ctx, deepcopy(state.input))
        except WorkflowBlocked:
            raise
        except Exception as error:
            caught = error
        if isinstance(ctx._stopped, WorkflowBlocked):
            raise ctx._stopped
        ended = ctx._stopped or caught
        fails = isinstance(ended, (ActivityError, RuntimeError)) and not ctx._crashed
        if ctx._position < len(state.commands) and not ctx._stopped and (fails or ended is None):
            ended, fails = NonDeterminismError(ctx._position, state.commands[ctx._position], None), True
        if fails:
            return RunResult("failed", state, error=f"{type(ended).__name__}: {ended}")
        if ended is not None:
            raise ended
        return RunResult("completed", state, value=value)
