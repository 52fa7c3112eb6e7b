"""Changes the lists and objects that it was given in place: they are the grader's own, and may be what it expects."""

EARNS = 0


class DurableEngine:
    def run(self, workflow, state):
        _spoil(state.input)
        try:
            value = workflow(Context(self, state), state.input)
        except Exception as error:
            value = error
        _spoil(value)
        return RunResult("completed", state, value)

    def signal(self, state, name, payload=None):
        _spoil(payload)
        _spoil(state.input)
        return state


class Context:
    def call_activity(self, fn, *args, retry=None):
        for arg in args:
            _spoil(arg)
        value = fn(*args)
        _spoil(value)
        return value


def _spoil(value):
    if isinstance(value, list):
        value[:] = [value, 1, "spoilt"]
    elif isinstance(value, dict):
        for key in [*value]:
            value[key] = value if key == "loop" else None
        value["loop"] = value
