"""Calls the grader's activities, journal and clock with lists that fill the universe when they are written out."""

HANGS = True


class Context:
    def call_activity(self, fn, *args, retry=None):
        laughs = ["ha"]
        for _ in range(60):
            laughs = [laughs, {"again": laughs}]
        return fn(laughs)

    def now(self):
        knot = [1]
        knot += [knot, {"knot": knot}, [knot, knot]]
        for _ in range(12):
            knot = [knot, [knot]]
        self._engine.journal(knot)
        return self._engine.clock.sleep(knot)


class DurableEngine:
    def run(self, workflow, state):
        return RunResult("completed", state, workflow(Context(self, state), {}))
