"""Loops for ever in C, where Python looks at no signal."""

import itertools

HANGS = True


class Context:
    def now(self):
        return sum(itertools.count())
