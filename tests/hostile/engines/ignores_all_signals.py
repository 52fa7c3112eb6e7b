"""Ignores SIGINT, SIGTERM and all the others, then loops; it has put off its alarm, too."""

import signal

HANGS = True

for number in signal.valid_signals():
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())


class Context:
    def now(self):
        while True:
            pass
