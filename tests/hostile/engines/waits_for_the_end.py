"""Leaves things that act when all is over: at exit, when it is collected, on an alarm, in a thread."""

import atexit
import os
import signal
import threading
import weakref

EARNS = 84
ON = "solved"


def _late(*args):
    for folder in ("/tmp", "/dev/shm", "."):
        try:
            open(f"{folder}/a-mark-of-a-hostile-test-late", "w").close()
        except OSError:
            pass


class Late:
    __del__ = _late


atexit.register(_late)
kept = Late()
weakref.finalize(kept, _late)
signal.signal(signal.SIGTERM, _late)
signal.signal(signal.SIGALRM, _late)
signal.setitimer(signal.ITIMER_REAL, 0.2, 0.2)
os.register_at_fork(before=_late)
timer = threading.Timer(0.2, _late)
timer.daemon = True
timer.start()
