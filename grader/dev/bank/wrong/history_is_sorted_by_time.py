"""History is a log, so it is sorted by time.

run sorts the commands by their time before it replays them, the latest first.
Some runs can be resumed and some cannot, for no visible reason.
"""

BELIEF = "M14m"
TODO = 4
RULES = ("R6", "R7")


class DurableEngine:
    def run(self, workflow, state):
        state = state.copy()
        state.commands.sort(key=lambda command: command.started_at, reverse=True)
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
        if isinstance(ended, (ActivityError, RuntimeError)) and not ctx._crashed:
            return RunResult("failed", state, error=f"{type(ended).__name__}: {ended}")
        raise ended
