"""Raises an error whose text, name, arguments and attributes cannot be read."""


class Evil(Exception):
    def __str__(self):
        raise SystemExit("no text")

    __repr__ = __str__

    def __getattribute__(self, name):
        raise KeyboardInterrupt(name)


class DurableEngine:
    def run(self, workflow, state):
        raise Evil("x")


class Context:
    def now(self):
        raise Evil
