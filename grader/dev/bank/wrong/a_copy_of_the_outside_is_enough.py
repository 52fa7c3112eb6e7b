"""dict() makes a copy.

The workflow gets a new dictionary, but the lists in it are those of the state.
The order grows with every restart: the second run sees two pens where one was ordered.
"""

BELIEF = "M23e"
TODO = 4
RULES = ("R10", "R5")


class DurableEngine:
    def run(self, workflow, state):
        state = state.copy()
        given = dict(state.input) if isinstance(state.input, dict) else state.input
        ctx, ended, value = Context(self, state), None, None
        try:
            value = workflow(ctx, given)
        except (WorkflowBlocked, Exception) as error:
            ended = error
        ended = ctx._stopped or ended
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
