"""A wait is an exception, and exceptions are for the caller.

run catches the failures of a workflow, and WorkflowBlocked is none of them.
The worker that runs the order ends with an exception.
"""

BELIEF = "M22q"
TODO = 4
RULES = ("R9",)


class DurableEngine:
    def run(self, workflow, state):
        state = state.copy()
        ctx = Context(self, state)
        ended = None
        try:
            value = workflow(ctx, deepcopy(state.input))
        except Exception as error:
            ended = error
        ended = ctx._stopped or ended
        unread = state.commands[ctx._position :]
        if unread and not ctx._stopped and isinstance(ended, (type(None), ActivityError, RuntimeError)):
            ended = NonDeterminismError(ctx._position, unread[0], None)
        if ended is None:
            return RunResult("completed", state, value=value)
        if isinstance(ended, (ActivityError, RuntimeError)) and not ctx._crashed:
            return RunResult("failed", state, error=f"{type(ended).__name__}: {ended}")
        raise ended
