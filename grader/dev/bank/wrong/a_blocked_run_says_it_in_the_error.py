"""The reason why a run did not finish is its error.

The name of the missing signal is in the error text; `waiting_for` is left empty.
The program that asks Ana for her approval reads `waiting_for`, finds nothing, and does not ask her.
"""

BELIEF = "M22g"
TODO = 4
RULES = ("R9",)


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
        if ctx._crashed or (ended and not isinstance(ended, (WorkflowBlocked, ActivityError, RuntimeError))):
            raise ended
        status = "blocked" if isinstance(ended, WorkflowBlocked) else "failed" if ended else "completed"
        return RunResult(status, state, value, f"{type(ended).__name__}: {ended}" if ended else None)
