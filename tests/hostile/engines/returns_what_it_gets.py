"""Returns the last of what it was given, in all TODOs."""


class Context:
    def call_activity(self, fn, *args, retry=None):
        return (list(locals().values()) or [None])[-1]

    def _ask(self, kind, name, args):
        return (list(locals().values()) or [None])[-1]

    def _perform(self, fn, name, args, policy):
        return (list(locals().values()) or [None])[-1]

    def now(self):
        return (list(locals().values()) or [None])[-1]

    def wait_signal(self, name):
        return (list(locals().values()) or [None])[-1]


class DurableEngine:
    def run(self, workflow, state):
        return (list(locals().values()) or [None])[-1]

    def signal(self, state, name, payload=None):
        return (list(locals().values()) or [None])[-1]
