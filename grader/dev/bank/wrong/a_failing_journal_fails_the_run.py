"""When the journal fails, the run has failed.

The journal's RuntimeError is treated as one of the workflow: status failed.
The refund is marked as failed for good, although the disk was only full for a minute.
"""

BELIEF = "M22h"
TODO = 4
RULES = ("R1",)


class DurableEngine:
    def run(self, workflow, state):
        state = state.copy()
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
            return RunResult("blocked", state, waiting_for=ended.waiting_for)
        if isinstance(ended, (ActivityError, RuntimeError)):
            return RunResult("failed", state, error=f"{type(ended).__name__}: {ended}")
        raise ended
