"""Leaves by `sys.exit`, which would end a grader that runs it in its own process."""

import sys


class DurableEngine:
    def run(self, workflow, state):
        sys.exit(0)

    def signal(self, state, name, payload=None):
        raise SystemExit
