"""Sends and never reads, until neither side can send."""

import time

HANGS = True

say(ok=[None])
time.sleep(0.2)
while True:
    say(ok=[thing()])
    raw(b" " * 10_000)
