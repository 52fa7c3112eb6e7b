"""Sends half a line, and then nothing more."""

import time

HANGS = True

raw(b'{"heap":{},"ok":[')
time.sleep(3600)
