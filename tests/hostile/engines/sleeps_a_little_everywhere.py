"""Sleeps just below the time limit, in each test again."""

import time

HANGS = True


class DurableEngine:
    def run(self, workflow, state):
        time.sleep(0.4)
        return RunResult("completed", state)
