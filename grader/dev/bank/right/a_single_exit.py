"""Every function has one exit, at its end."""


class Context:
    def now(self):
        command = self._ask("now", "now", [])
        if command is not None:
            time_ = command.value
        else:
            time_ = self._engine.clock.now()
            self._record(Command("now", "now", [], True, time_, None, (), time_, time_))
        return time_


class DurableEngine:
    def run(self, workflow, state):
        new = WorkflowState(state.workflow_id, deepcopy(state.input), state.commands[:], state.signals[:])
        ctx = Context(self, new)
        status, value, error = "completed", None, None
        try:
            value = workflow(ctx, deepcopy(new.input))
        except BaseException as caught:
            error = caught
        if ctx._stopped is not None:
            error = ctx._stopped
        elif ctx._position < len(new.commands) and (error is None or isinstance(error, (ActivityError, RuntimeError))):
            error = NonDeterminismError(ctx._position, new.commands[ctx._position], None)
        text, missing = None, None
        if isinstance(error, WorkflowBlocked):
            status, missing = "blocked", error.waiting_for
        elif isinstance(error, (ActivityError, RuntimeError)) and not ctx._crashed:
            status, text = "failed", f"{type(error).__name__}: {error}"
        elif error is not None:
            raise error
        if status != "completed":
            value = None
        return RunResult(status=status, state=new, value=value, error=text, waiting_for=missing)
