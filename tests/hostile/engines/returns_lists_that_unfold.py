"""Returns a list of the same list twice, of the same list twice, sixty times: written out it fills the universe."""

HANGS = True

laughs = ["ha"]
for _ in range(60):
    laughs = [laughs, laughs]


class DurableEngine:
    def run(self, workflow, state):
        return RunResult(laughs, state, laughs, laughs, laughs)

    def signal(self, state, name, payload=None):
        raise ValueError(laughs, {"x": laughs})


class Context:
    def now(self):
        raise RuntimeError(laughs)
