"""Sends its line one byte at a time, each of them in time."""

import time

HANGS = True

while True:
    raw(b" ")
    time.sleep(0.001)
