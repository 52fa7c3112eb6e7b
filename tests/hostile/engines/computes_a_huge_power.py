"""Computes a number of a hundred million digits, in C."""

HANGS = True


class Context:
    def now(self):
        return 10**10**9
