"""Leaves a process behind, in a session of its own, that is to write a file when the grading is over."""

import os
import time

EARNS = 84
ON = "solved"

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in range(64):
            try:
                os.close(fd)
            except OSError:
                pass
        while True:
            time.sleep(0.05)
            for folder in ("/tmp", "/dev/shm", "/var/tmp", ".", "/"):
                try:
                    open(f"{folder}/a-mark-of-a-hostile-test-daemon", "w").close()
                except OSError:
                    pass
    os._exit(0)
os.wait()
