"""Keeps every file, pipe and socket open that it can get, then goes on as if nothing were."""

import os
import socket

EARNS = 84
ON = "solved"

kept = []
try:
    while True:
        kept.append(os.pipe())
except OSError:
    pass
try:
    while True:
        kept.append(socket.socketpair())
except OSError:
    pass
