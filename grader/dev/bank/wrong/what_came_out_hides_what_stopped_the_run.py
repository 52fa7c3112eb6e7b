"""The exception that left the workflow is the reason for its end.

What stopped the run counts only if the workflow raised nothing.
The disk was full; the workflow caught that and raised an error of its own, and the run is marked as failed.
"""

BELIEF = "M19d"
TODO = 4
RULES = ("R1", "R9")


class DurableEngine:
    def run(self, workflow, state):
        state = state.copy()
        ctx = Context(self, state)
        ended = None
        try:
            value = workflow(ctx, deepcopy(state.input))
        except (WorkflowBlocked, Exception) as error:
            ended = error
        ended = ended or ctx._stopped
        unread = state.commands[ctx._position :]
        if unread and not ctx._stopped and isinstance(ended, (type(None), ActivityError, RuntimeError)):
            ended = NonDeterminismError(ctx._position, unread[0], None)
        if ended is None:
            return RunResult("completed", state, value=value)
        if isinstance(ended, WorkflowBlocked):
            return RunResult("blocked", state, waiting_for=ended.waiting_for)
        if isinstance(ended, (ActivityError, RuntimeError)):
            return RunResult("failed", state, error=f"{type(ended).__name__}: {ended}")
        raise ended
