"""Closes one half of the line, then the other, then goes on living."""

import socket
import time

HANGS = True

begin()
say(ok=[thing()])
_line.shutdown(socket.SHUT_WR)
try:
    hear()
finally:
    time.sleep(3600)
