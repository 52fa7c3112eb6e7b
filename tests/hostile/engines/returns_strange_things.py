"""Returns what is no result: modules, functions, classes, generators, itself, the grader's own objects."""

import itertools
import sys

THINGS = itertools.cycle([
    sys, int, type, print, (x for x in "ab"), ..., None, 1j, range(10**9), b"\xff" * 1000, {1, 2}, {"a": {1: 2}},
    float("nan"), 10**4000, "x" * 100_000, [[]] * 1000, memoryview(b"x"), lambda: 1, Exception("x"), KeyboardInterrupt,
])  # fmt: skip


class DurableEngine:
    def run(self, workflow, state):
        return next(THINGS)

    def signal(self, state, name, payload=None):
        return workflow_of(state, self)


def workflow_of(*things):
    return things[next(THINGS) is None]


class Context:
    def now(self):
        return self._engine.clock
