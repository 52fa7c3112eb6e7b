"""Starts a thousand threads that never end, and is right in everything else."""

import threading

EARNS = 84
ON = "solved"

for _ in range(1000):
    try:
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    except RuntimeError:
        break
