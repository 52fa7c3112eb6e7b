"""Recurses until there is no stack left, with Python's own guard switched off."""

HANGS = True

import sys

sys.setrecursionlimit(10**9)


class Context:
    def now(self):
        return self.now() + 1
