"""Raises an error that holds an error that holds an error, a thousand deep, and each twice."""

error = ValueError("the first")
for _ in range(1000):
    error = ValueError(error, error)


class DurableEngine:
    def run(self, workflow, state):
        raise error
