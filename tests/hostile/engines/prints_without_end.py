"""Prints 60 MB, to its output, to its errors, to the terminal and to every number that is open."""

import os
import sys

EARNS = 84
ON = "solved"

for _ in range(60):
    print("<script>alert(1)</script>" * 40_000)
    sys.stderr.write("\x1b[2J" * 100_000)
    os.write(1, b"x" * 100_000)
try:
    with open("/dev/tty", "wb") as terminal:
        terminal.write(b"owned")
except OSError:
    pass
