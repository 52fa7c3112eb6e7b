"""Raises an error with an object in it that raises another error whenever the grader wants to print it."""


class Evil:
    times = 0

    def __str__(self):
        Evil.times += 1
        if Evil.times % 2 == 0:
            raise KeyError("not now")
        return "x"

    __repr__ = __str__


class DurableEngine:
    def run(self, workflow, state):
        raise KeyError(Evil(), [Evil()])
