"""A run that could not continue has failed, whatever the cause.

Whatever stopped the run becomes a failed result, even an error of the journal.
The refund is marked as failed for good, although the disk was only full for a minute.
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
