"""Raises an error whose class has a name, and whose text has a length, that fills the report."""

LONG = "<script>alert(1)</script>" * 40_000
Named = type(LONG, (Exception,), {})


class DurableEngine:
    def run(self, workflow, state):
        raise Named("x")


class Context:
    def now(self):
        raise ValueError(LONG)
