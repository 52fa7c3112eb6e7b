"""An uncaught error goes to the caller, as everywhere in Python.

Only a divergence becomes a failed result; ActivityError and RuntimeError are raised by run.
A declined card terminates the worker, and with it everything else that it was doing.
"""

BELIEF = "M22i"
TODO = 4
RULES = ("R13",)


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
        match ended:
            case None:
                return RunResult("completed", state, value=value)
            case WorkflowBlocked(waiting_for=name):
                return RunResult("blocked", state, waiting_for=name)
            case NonDeterminismError():
                return RunResult("failed", state, error=f"{type(ended).__name__}: {ended}")
        raise ended
