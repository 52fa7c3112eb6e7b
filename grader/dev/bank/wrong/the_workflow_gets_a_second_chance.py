"""What failed once may work the second time, from the beginning.

When the run has failed, it runs again from the given state, as if nothing had happened.
Steps that succeeded are paid for a second time.
"""

BELIEF = "M3b"
TODO = 4
RULES = ("R13", "R2")


class DurableEngine:
    def run(self, workflow, state):
        first = self._run_once(workflow, state)
        return self._run_once(workflow, state) if first.status == "failed" else first

    def _run_once(self, workflow, state):
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
            return RunResult("failed", state, error=f"{type(ended).__name__}: {ended}")
        raise ended
