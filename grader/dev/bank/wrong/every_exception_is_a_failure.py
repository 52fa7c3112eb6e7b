"""It did not work, whatever the reason.

Every exception of the workflow, even a KeyError in its code, is caught, and the result says failed.
A typo in the new version fails a thousand refunds for good, although a fix would let them continue.
"""

BELIEF = "M22f"
TODO = 4
RULES = ("R13",)


class DurableEngine:
    def run(self, workflow, state):
        state = state.copy()
        ctx = Context(self, state)
        problem, value = None, None
        try:
            value = workflow(ctx, deepcopy(state.input))
        except WorkflowBlocked:
            pass
        except Exception as error:
            problem = error
        if ctx._crashed:
            raise ctx._stopped
        if isinstance(ctx._stopped, WorkflowBlocked):
            return RunResult("blocked", state, waiting_for=ctx._stopped.waiting_for)
        problem = ctx._stopped or problem
        if ctx._position < len(state.commands) and not ctx._stopped:
            problem = NonDeterminismError(ctx._position, state.commands[ctx._position], None)
        if problem:
            return RunResult("failed", state, error=f"{type(problem).__name__}: {problem}")
        return RunResult("completed", state, value=value)
