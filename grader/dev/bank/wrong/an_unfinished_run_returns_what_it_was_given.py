"""Only a completed run has a new state.

run works on a copy, and returns the given state unless the workflow has completed.
The payment of a run that waits is in no state, and is made again.
"""

BELIEF = "M3a"
TODO = 4
RULES = ("R8", "R6")


class DurableEngine:
    def run(self, workflow, state):
        given, state = state, state.copy()
        ctx = Context(self, state)
        ended = None
        try:
            value = workflow(ctx, deepcopy(state.input))
        except (WorkflowBlocked, Exception) as error:
            ended = error
        ended = ctx._stopped or ended
        unread = state.commands[ctx._position :]
        if unread and not ctx._stopped and isinstance(ended, (type(None), ActivityError, RuntimeError)):
            ended = NonDeterminismError(ctx._position, unread[0], None)
        if ended is None:
            return RunResult("completed", state, value=value)
        if isinstance(ended, WorkflowBlocked):
            return RunResult("blocked", given.copy(), waiting_for=ended.waiting_for)
        if isinstance(ended, (ActivityError, RuntimeError)) and not ctx._crashed:
            return RunResult("failed", given.copy(), error=f"{type(ended).__name__}: {ended}")
        raise ended
