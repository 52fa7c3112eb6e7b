"""The type of an error says what happened.

The error of a failed run is the name of the exception, without its message.
The support desk reads "ActivityError", and cannot tell which activity failed, or why.
"""

BELIEF = "M22k"
TODO = 4
RULES = ("R6", "R13")


class DurableEngine:
    def run(self, workflow, state):
        state = state.copy()
        ctx, ended, value = Context(self, state), None, None
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
            return RunResult("blocked", state, waiting_for=ended.waiting_for)
        if isinstance(ended, (ActivityError, RuntimeError)) and not ctx._crashed:
            return RunResult("failed", state, error=type(ended).__name__)
        raise ended
