"""One big entry at the end is quicker than many small ones.

During the run a list replaces the journal; it is written to the journal when the run is over.
The process dies in the middle: everything that was paid is forgotten, and paid again.
"""

BELIEF = "M14n"
TODO = 4
RULES = ("R1",)


class DurableEngine:
    def run(self, workflow, state):
        state, journal, kept = state.copy(), self.journal, []
        self.journal = kept.append
        ctx, ended, value = Context(self, state), None, None
        try:
            value = workflow(ctx, deepcopy(state.input))
        except (WorkflowBlocked, Exception) as error:
            ended = error
        ended = ctx._stopped or ended
        unread = state.commands[ctx._position :]
        if unread and not ctx._stopped and isinstance(ended, (type(None), ActivityError, RuntimeError)):
            ended = NonDeterminismError(ctx._position, unread[0], None)
        self.journal = journal
        for command in kept:
            journal(command)
        if ended is None:
            return RunResult("completed", state, value=value)
        if isinstance(ended, WorkflowBlocked):
            return RunResult("blocked", state, waiting_for=ended.waiting_for)
        if isinstance(ended, (ActivityError, RuntimeError)) and not ctx._crashed:
            return RunResult("failed", state, error=f"{type(ended).__name__}: {ended}")
        raise ended
