"""Raises an error with an object in it that can be printed once; at the second time it ends the process."""

import os


class Evil:
    times = 0

    def __str__(self):
        Evil.times += 1
        if Evil.times > 1:
            os._exit(1)
        return "x"

    __repr__ = __str__


class DurableEngine:
    def run(self, workflow, state):
        raise ValueError(Evil())
