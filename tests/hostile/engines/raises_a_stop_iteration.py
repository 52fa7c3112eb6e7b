"""Raises StopIteration, which ends a loop of a test without a sound."""


class DurableEngine:
    def run(self, workflow, state):
        raise StopIteration("stop")

    def signal(self, state, name, payload=None):
        raise StopIteration


class Context:
    def now(self):
        raise StopIteration
