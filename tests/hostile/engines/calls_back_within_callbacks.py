"""Makes the grader's workflow run itself recursively, until one side has no stack left."""

HANGS = True


class DurableEngine:
    def run(self, workflow, state):
        return workflow(Context(self, state), state.input)


class Context:
    def call_activity(self, fn, *args, retry=None):
        return self._engine.run(lambda ctx, order: ctx.call_activity(fn, *args), WorkflowState("w"))

    def now(self):
        return self._engine.run(lambda ctx, order: ctx.now(), WorkflowState("w")).value
