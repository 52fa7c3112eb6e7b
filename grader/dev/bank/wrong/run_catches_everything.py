"""Catching everything is safe.

`except BaseException` turns everything that the workflow raises into a failed run, even the end of the process.
The machine is shut down, and the run is marked as failed instead of resuming tomorrow.
"""

BELIEF = "M19e"
TODO = 4
RULES = ("R13",)


class DurableEngine:
    def run(self, workflow, state):
        state = state.copy()
        ctx = Context(self, state)
        try:
            value = workflow(ctx, deepcopy(state.input))
        except WorkflowBlocked as blocked:
            return RunResult("blocked", state, waiting_for=blocked.waiting_for)
        except BaseException as error:
            return RunResult("failed", state, error=f"{type(error).__name__}: {error}")
        if isinstance(ctx._stopped, WorkflowBlocked):
            return RunResult("blocked", state, waiting_for=ctx._stopped.waiting_for)
        unread = state.commands[ctx._position :]
        problem = ctx._stopped or (NonDeterminismError(ctx._position, unread[0], None) if unread else None)
        if problem:
            return RunResult("failed", state, error=f"{type(problem).__name__}: {problem}")
        return RunResult("completed", state, value=value)
