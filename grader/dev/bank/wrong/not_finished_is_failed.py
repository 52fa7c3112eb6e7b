"""A run has two outcomes: it worked, or it did not.

A run that did not return is failed; only its error text says that it waits.
The refund that waits for a human is marked as failed, and is never resumed.
"""

BELIEF = "M22j"
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
        if ended is None:
            return RunResult("completed", state, value=value)
        if ctx._crashed or not isinstance(ended, (WorkflowBlocked, ActivityError, RuntimeError)):
            raise ended
        waits = getattr(ended, "waiting_for", None)
        return RunResult("failed", state, None, f"{type(ended).__name__}: {ended}", waits)
