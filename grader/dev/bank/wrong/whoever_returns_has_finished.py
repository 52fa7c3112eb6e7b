"""A workflow that has returned is completed.

What stopped the run counts only if an exception left the workflow.
A bare `except:` swallows the wait for the approval, and the refund is reported as completed.
"""

BELIEF = "M19d"
TODO = 4
RULES = ("R9", "R3")


class DurableEngine:
    def run(self, workflow, state):
        state = state.copy()
        ctx = Context(self, state)
        try:
            value = workflow(ctx, deepcopy(state.input))
        except (WorkflowBlocked, Exception) as error:
            ended = ctx._stopped or error
        else:
            if ctx._stopped or ctx._position == len(state.commands):
                return RunResult("completed", state, value=value)
            ended = NonDeterminismError(ctx._position, state.commands[ctx._position], None)
        if isinstance(ended, WorkflowBlocked):
            return RunResult("blocked", state, waiting_for=ended.waiting_for)
        if ctx._crashed or not isinstance(ended, (ActivityError, RuntimeError)):
            raise ended
        unread = [] if ctx._stopped else state.commands[ctx._position :]
        ended = NonDeterminismError(ctx._position, unread[0], None) if unread else ended
        return RunResult("failed", state, error=f"{type(ended).__name__}: {ended}")
