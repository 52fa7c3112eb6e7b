"""Raises a group of exceptions, with what would end the grader inside."""


class DurableEngine:
    def run(self, workflow, state):
        raise BaseExceptionGroup("all at once", [KeyboardInterrupt(), SystemExit(0), ValueError("x")])
