"""Runs a regular expression that takes as long as the universe."""

import re

HANGS = True


class DurableEngine:
    def signal(self, state, name, payload=None):
        return re.match(r"(a+)+$", "a" * 64 + "!")
