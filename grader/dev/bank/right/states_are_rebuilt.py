"""No copy is made of a state: new ones are built from the parts of the old one."""


class DurableEngine:
    def run(self, workflow, state):
        commands = [command for command in state.commands]
        new = WorkflowState(state.workflow_id, _faithful(state.input, "input"), commands, [*state.signals])
        ctx = Context(self, new)
        failed = (ActivityError, RuntimeError)
        try:
            value, ended = workflow(ctx, _faithful(state.input, "input")), None
        except (WorkflowBlocked, Exception) as error:
            ended = error
        if ctx._stopped:
            ended = ctx._stopped
        elif len(commands) > ctx._position and (ended is None or isinstance(ended, failed)):
            ended = NonDeterminismError(ctx._position, commands[ctx._position], None)
        if ctx._crashed or not (ended is None or isinstance(ended, (WorkflowBlocked, *failed))):
            raise ended
        if ended is None:
            return RunResult("completed", new, value)
        if isinstance(ended, WorkflowBlocked):
            return RunResult("blocked", new, waiting_for=ended.waiting_for)
        return RunResult("failed", new, error=f"{type(ended).__name__}: {ended}")

    def signal(self, state, name, payload=None):
        arrived = Signal(name=name, payload=_faithful(payload, f"signal {name}: payload"), received_at=self.clock.now())
        self.journal(arrived)
        return WorkflowState(state.workflow_id, deepcopy(state.input), list(state.commands), [*state.signals, arrived])
