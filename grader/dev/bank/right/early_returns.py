"""Each case returns as soon as it is known."""


class Context:
    def _ask(self, kind, name, args):
        if self._stopped is not None:
            raise self._stopped
        if self._position >= len(self._history):
            return None
        recorded = self._history[self._position]
        if recorded.kind == kind and recorded.name == name:
            if self._engine.guard == "names" or _canonical(recorded.args) == _canonical(args):
                self._position += 1
                return recorded
        raise self._stop(NonDeterminismError(self._position, recorded, Command(kind, name, args)))


class DurableEngine:
    def run(self, workflow, state):
        mine = state.copy()
        ctx = Context(self, mine)
        try:
            value = workflow(ctx, deepcopy(mine.input))
        except WorkflowBlocked as blocked:
            return self._end(ctx, mine, blocked)
        except Exception as error:
            return self._end(ctx, mine, error)
        problem = ctx._stopped or self._unread(ctx, mine)
        if problem is not None:
            return self._end(ctx, mine, problem)
        return RunResult("completed", mine, value)

    def _unread(self, ctx, state):
        if ctx._position == len(state.commands):
            return None
        return NonDeterminismError(ctx._position, state.commands[ctx._position], None)

    def _end(self, ctx, state, error):
        if ctx._stopped is not None:
            error = ctx._stopped
        elif isinstance(error, (ActivityError, RuntimeError)):
            error = self._unread(ctx, state) or error
        if ctx._crashed:
            raise error
        if isinstance(error, WorkflowBlocked):
            return RunResult("blocked", state, waiting_for=error.waiting_for)
        if not isinstance(error, (ActivityError, RuntimeError)):
            raise error
        return RunResult("failed", state, error=f"{type(error).__name__}: {error}")
