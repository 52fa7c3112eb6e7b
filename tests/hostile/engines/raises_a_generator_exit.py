"""Raises GeneratorExit, which Python keeps for itself."""


class DurableEngine:
    def run(self, workflow, state):
        raise GeneratorExit("stop")

    def signal(self, state, name, payload=None):
        raise GeneratorExit


class Context:
    def now(self):
        raise GeneratorExit
