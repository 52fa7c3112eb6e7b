"""A run that could not go on has failed, whoever is to blame.

What stopped the run is put into a failed result, also where it was the journal's own error.
The refund is filed as failed for good, although only the disk was full for a minute.
"""

BELIEF = "M22h"
TODO = 4
RULES = ("R1",)


class DurableEngine:
    def run(self, workflow, state):
        state = state.copy()
        ctx, problem, value = Context(self, state), None, None
        try:
            value = workflow(ctx, deepcopy(state.input))
        except (WorkflowBlocked, Exception) as error:
            problem = error
        if isinstance(ctx._stopped, Exception):
            return RunResult("failed", state, error=f"{type(ctx._stopped).__name__}: {ctx._stopped}")
        if isinstance(ctx._stopped, WorkflowBlocked):
            return RunResult("blocked", state, waiting_for=ctx._stopped.waiting_for)
        if ctx._stopped is not None or (problem and not isinstance(problem, (ActivityError, RuntimeError))):
            raise ctx._stopped or problem
        if ctx._position < len(state.commands):
            problem = NonDeterminismError(ctx._position, state.commands[ctx._position], None)
        if problem is None:
            return RunResult("completed", state, value=value)
        return RunResult("failed", state, error=f"{type(problem).__name__}: {problem}")
