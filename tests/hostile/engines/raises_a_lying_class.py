"""Raises an error that says of itself that it is of another class, with a metaclass that agrees to everything."""


class Yes(type):
    def __instancecheck__(cls, value):
        return True

    def __subclasscheck__(cls, other):
        return True

    @property
    def __name__(cls):
        raise RuntimeError("no name")


class Liar(Exception, metaclass=Yes):
    @property
    def __class__(self):
        return AssertionError


class DurableEngine:
    def run(self, workflow, state):
        raise Liar("all is well")


ActivityError = NonDeterminismError = WorkflowBlocked = Liar
