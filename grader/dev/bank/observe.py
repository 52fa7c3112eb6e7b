"""Observe an engine of the bank in the probes of the diagnosis, in a fork and with a time limit."""

from __future__ import annotations

import signal
import sys
import time
import types
from functools import lru_cache
from typing import Any

from durable_lab.diagnosis.observe import Facts, observe
from grader.dev.bank.fork import ForkEnded, in_fork

SECONDS = 15  # for everything that is done in one fork
CPU_SECONDS = 0.4  # for one module, from one restart to the next; a right engine takes 0.005
WALL_SECONDS = 2.0  # the same, for a module that really sleeps


def module(source: str) -> Any:
    """Return the module of this source, under a name of its own."""
    made = types.ModuleType(f"bank_engine_{time.monotonic_ns()}")
    sys.modules[made.__name__] = made  # dataclasses look their module up
    exec(_compiled(source), vars(made))
    return made


@lru_cache(maxsize=1)
def _compiled(source: str) -> Any:
    return compile(source, "engine.py", "exec")


def facts_of(source: str, todo: int) -> Facts | None:
    """Return the facts of the engine of this source, or None if it had to be killed."""
    try:
        facts: Facts = in_fork(lambda: observe(TimedModule(source).fresh, todo), SECONDS)
    except ForkEnded:
        return None
    return facts


class TimeIsUp(BaseException):
    """Raised in the code that uses a module when the module's time is over."""


class TimedModule:
    """An engine's module with a time limit."""

    def __init__(self, source: str) -> None:
        self._source = source
        signal.signal(signal.SIGVTALRM, self._stop)
        signal.signal(signal.SIGALRM, self._stop)

    def fresh(self) -> Any:
        """Return a new module, and start its time."""
        signal.setitimer(signal.ITIMER_VIRTUAL, CPU_SECONDS, 0.1)
        signal.setitimer(signal.ITIMER_REAL, WALL_SECONDS, 0.1)
        return module(self._source)

    def _stop(self, number: int, frame: Any) -> None:
        raise TimeIsUp
