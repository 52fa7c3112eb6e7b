"""Uses the functions that it is given for other things: clears the journal, turns back the clock, calls with nonsense."""


class DurableEngine:
    def run(self, workflow, state):
        for seconds in (-1e9, float("nan"), float("inf"), 10**400, "x", None, [], 1e308):
            try:
                self.clock.sleep(seconds)
            except Exception:
                pass
        for record in (None, self.journal, workflow, {"a": 1}, [[]], "x" * 1000, state, float("nan")):
            self.journal(record)
        for args in ((), (1, 2, 3), (workflow,), (self.clock, self.journal)):
            try:
                workflow(*args)
            except Exception:
                pass
        for name in ("clear", "__self__", "__globals__", "__class__", "__call__", "__closure__"):
            for thing in (self.journal, workflow, self.clock, self.clock.now):
                try:
                    getattr(thing, name)()
                except Exception:
                    pass
        return RunResult("completed", state)
