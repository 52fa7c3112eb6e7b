"""Sleeps just below the deadline, in each test anew."""

import time

HANGS = True


class DurableEngine:
    def run(self, workflow, state):
        time.sleep(0.4)
        return RunResult("completed", state)
