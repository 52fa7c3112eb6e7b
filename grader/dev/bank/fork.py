"""Run a function in a fork of this process, which may loop for ever, sleep, or exit.

It serves the engines of the bank, which we know; it is not a sandbox.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import time
from collections.abc import Callable
from typing import Any


class ForkEnded(Exception):
    """The fork returned nothing. The message says how it ended."""


def in_fork(function: Callable[[], Any], seconds: float) -> Any:
    """Return what `function` returns, a JSON value. Raises ForkEnded if the fork exits or has to be killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _child(function, writing)
    os.close(writing)
    text, end, killed = b"", time.monotonic() + seconds, False
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        while select.select([pipe], [], [], max(0.0, end - time.monotonic()))[0]:
            if not (more := pipe.read(65_536)):
                break
            text += more
        else:
            killed = True
            os.kill(child, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if killed or code or not text:
        raise ForkEnded(f"killed after {seconds:g} seconds" if killed else f"ended with code {code}")
    return json.loads(text)


def _child(function: Callable[[], Any], writing: int) -> None:
    gc.freeze()  # the collector need not go through all that the parent has
    code = 70
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what an engine prints is not read
        text = json.dumps(function()).encode()
        for timer in (signal.ITIMER_VIRTUAL, signal.ITIMER_REAL):
            signal.setitimer(timer, 0)
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(text)
        code = 0
    except SystemExit as exit:
        code = exit.code if isinstance(exit.code, int) else 1
    finally:
        os._exit(code)
