"""Ends its process with a good exit code in the middle of a run."""

import os


class DurableEngine:
    def run(self, workflow, state):
        os._exit(0)
