"""Sends and never reads, until nobody can send any more."""

import time

HANGS = True

say(ok=[None])
time.sleep(0.2)
while True:
    say(ok=[thing()])
    raw(b" " * 10_000)
