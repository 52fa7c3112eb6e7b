"""A service never crashes: whatever happens, it answers.

Everything that the workflow raises, even the end of the process, becomes a failed result.
The machine is shut down, and the run is marked as failed instead of resuming tomorrow.
"""

BELIEF = "M19e"
TODO = 4
RULES = ("R13", "R1")


class DurableEngine:
    def run(self, workflow, state):
        state = state.copy()
        ctx, ended, value = Context(self, state), None, None
        try:
            value = workflow(ctx, deepcopy(state.input))
        except BaseException as error:
            ended = error
        ended = ctx._stopped or ended
        unread = state.commands[ctx._position :]
        if unread and not ctx._stopped and not isinstance(ended, WorkflowBlocked):
            ended = NonDeterminismError(ctx._position, unread[0], None)
        match ended:
            case None:
                return RunResult("completed", state, value=value)
            case WorkflowBlocked():
                return RunResult("blocked", state, waiting_for=ended.waiting_for)
            case _:
                return RunResult("failed", state, error=f"{type(ended).__name__}: {ended}")
