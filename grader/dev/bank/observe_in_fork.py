"""Watch an engine of the bank in the probes: in a fork, which may loop for ever, sleep, or die.

It serves the bank, whose engines we know; it is no sandbox.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import sys
import time
import types
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from durable_lab.diagnosis.observe import Facts, observe

SECONDS = 15  # for all that is done in one fork; then it is killed
A_LIFE = 0.4  # seconds of CPU that a module may use, from one restart to the next; it takes 0.005
ASLEEP = 2.0  # and seconds on the wall, for one that really sleeps


def module(source: str) -> Any:
    """The module that this source makes, under a name of its own."""
    made = types.ModuleType(f"bank_engine_{time.monotonic_ns()}")
    sys.modules[made.__name__] = made  # dataclasses look their module up
    exec(_compiled(source), vars(made))
    return made


@lru_cache(maxsize=1)
def _compiled(source: str) -> Any:
    return compile(source, "engine.py", "exec")


def facts_of(source: str, todo: int) -> Facts | None:
    """The facts of the engine of this source. None where it had to be killed."""
    made = forked(lambda: observe(Mortal(source).fresh, todo))
    return made if isinstance(made, dict) else None


class Stopped(BaseException):
    """What the user of a module sees when its time is over."""


class Mortal:
    """An engine's module with a limited time. When that is over, Stopped is raised wherever it is, and it is dead."""

    def __init__(self, source: str) -> None:
        self._source = source
        signal.signal(signal.SIGVTALRM, self._stop)
        signal.signal(signal.SIGALRM, self._stop)

    def fresh(self) -> Any:
        """A new module, with new time."""
        signal.setitimer(signal.ITIMER_VIRTUAL, A_LIFE, 0.1)
        signal.setitimer(signal.ITIMER_REAL, ASLEEP, 0.1)
        return module(self._source)

    def _stop(self, number: int, frame: Any) -> None:
        raise Stopped


def forked(work: Callable[[], Any], seconds: float = SECONDS) -> Any:
    """What `work` returns, a JSON value, done in a fork of this process. None where the fork died or was killed."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        _in_the_child(work, into)
    os.close(into)
    text = b""
    until = time.monotonic() + seconds
    while select.select([out], [], [], max(0.0, until - time.monotonic()))[0]:
        if not (more := os.read(out, 65_536)):
            break
        text += more
    else:
        os.kill(child, signal.SIGKILL)
    os.close(out)
    os.waitpid(child, 0)
    return json.loads(text) if text else None


def _in_the_child(work: Callable[[], Any], into: int) -> None:
    gc.disable()  # it would go through all that the parent has
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what an engine prints is for nobody
        made = json.dumps(work()).encode()
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        with os.fdopen(into, "wb") as pipe:
            pipe.write(made)
    finally:
        os._exit(0)
