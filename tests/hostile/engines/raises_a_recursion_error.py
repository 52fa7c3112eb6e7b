"""Raises RecursionError, as if the grader had gone too deep."""


class DurableEngine:
    def run(self, workflow, state):
        raise RecursionError("stop")

    def signal(self, state, name, payload=None):
        raise RecursionError


class Context:
    def now(self):
        raise RecursionError
