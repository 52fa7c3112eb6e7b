"""The workflow may handle an error of the disk or of the machine as it likes.

Only what comes out of the workflow can end the run with an error of the outside.
The machine was shut down in a payment, the workflow caught it, and the run is reported as completed.
"""

BELIEF = "M19f"
TODO = 4
RULES = ("R1", "R9")


class DurableEngine:
    def run(self, workflow, state):
        state = state.copy()
        ctx = Context(self, state)
        try:
            value = workflow(ctx, deepcopy(state.input))
        except (WorkflowBlocked, Exception) as error:
            ended = ctx._stopped or error
            if isinstance(ended, (ActivityError, RuntimeError)) and ctx._crashed:
                raise ended from None
        else:
            ended = None if ctx._crashed else ctx._stopped
        if ctx._position < len(state.commands) and not ctx._stopped:
            if ended is None or isinstance(ended, (ActivityError, RuntimeError)):
                ended = NonDeterminismError(ctx._position, state.commands[ctx._position], None)
        match ended:
            case None:
                return RunResult("completed", state, value=value)
            case WorkflowBlocked():
                return RunResult("blocked", state, waiting_for=ended.waiting_for)
            case ActivityError() | RuntimeError():
                return RunResult("failed", state, error=f"{type(ended).__name__}: {ended}")
        raise ended
