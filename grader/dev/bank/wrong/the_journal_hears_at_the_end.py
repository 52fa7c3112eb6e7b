"""History may be written when the run is over.

Commands are collected in memory and written to the journal when the workflow returns.
The process dies in the middle: everything that was paid is forgotten, and paid again.
"""

BELIEF = "M14n"
TODO = 4
RULES = ("R1",)


class Context:
    def _record(self, command):
        self._history.append(command)
        self._position += 1
        return command


class DurableEngine:
    def run(self, workflow, state):
        known = len(state.commands)
        state = state.copy()
        ctx = Context(self, state)
        ended = None
        try:
            value = workflow(ctx, deepcopy(state.input))
        except (WorkflowBlocked, Exception) as error:
            ended = error
        for command in state.commands[known:]:
            self.journal(command)
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
