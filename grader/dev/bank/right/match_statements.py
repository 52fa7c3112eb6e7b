"""Every decision is a `match`."""


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        match self._ask("activity", name, sent):
            case None:
                command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
            case recorded:
                command = recorded
        match command:
            case Command(error=None, value=value):
                return deepcopy(value)
            case Command(error=error, tries=tries):
                error_type, _, message = error.partition(": ")
                raise ActivityError(name, error_type, message, len(tries))


class DurableEngine:
    def run(self, workflow, state):
        state = state.copy()
        ctx = Context(self, state)
        value, ended = None, None
        try:
            value = workflow(ctx, deepcopy(state.input))
        except (WorkflowBlocked, Exception) as error:
            ended = error
        match ctx._stopped, ended, state.commands[ctx._position :]:
            case None, None | ActivityError() | RuntimeError(), [first, *_]:
                ended = NonDeterminismError(ctx._position, first, None)
            case None, _, _:
                pass
            case stopped, _, _:
                ended = stopped
        match ended:
            case None:
                return RunResult("completed", state, value)
            case WorkflowBlocked(waiting_for=name):
                return RunResult("blocked", state, waiting_for=name)
            case ActivityError() | RuntimeError() if not ctx._crashed:
                return RunResult("failed", state, error=f"{type(ended).__name__}: {ended}")
            case _:
                raise ended
