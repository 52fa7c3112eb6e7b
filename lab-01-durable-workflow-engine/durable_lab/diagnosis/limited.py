"""A time limit for an engine that runs in this process: one that loops or really sleeps ends at its limit."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

CPU_SECONDS = 0.4  # for one module, from one restart to the next; a right engine takes 0.005
WALL_SECONDS = 0.6  # the same, for a module that really sleeps


class TimeIsUp(BaseException):
    """Raised in the code that uses a module when the module's time is over."""


@contextmanager
def limited(
    fresh: Callable[[], Any], cpu: float = CPU_SECONDS, wall: float = WALL_SECONDS
) -> Iterator[Callable[[], Any]]:
    """Yield `fresh` with a time limit for each module that it returns. For the main thread of a process of its own.

    The limit is kept by signals, so code in C that never returns is not ended; the process's parent has to do that.
    Where Python has no timers (Windows), there is no limit.
    """

    def limited_fresh() -> Any:
        for timer, seconds in limits.items():
            signal.setitimer(timer, seconds, 0.1)  # again and again, because the engine may catch it
        return fresh()

    if not hasattr(signal, "setitimer"):
        yield fresh
        return
    limits = {signal.ITIMER_VIRTUAL: cpu, signal.ITIMER_REAL: wall}
    before = [(number, signal.signal(number, _stop)) for number in (signal.SIGVTALRM, signal.SIGALRM)]
    try:
        yield limited_fresh
    finally:
        for timer in limits:
            signal.setitimer(timer, 0)
        for number, handler in before:
            signal.signal(number, handler)


def _stop(number: int, frame: Any) -> None:
    raise TimeIsUp
