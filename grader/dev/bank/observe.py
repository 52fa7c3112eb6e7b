"""Observe an engine of the bank in the probes of the diagnosis, in a fork and with a time limit."""

from __future__ import annotations

import sys
import time
import types
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any

from durable_lab.diagnosis.limited import limited
from durable_lab.diagnosis.observe import Facts, observe
from grader.dev.bank.fork import ForkEnded, in_fork

SECONDS = 15  # for everything that is done in one fork
WALL_SECONDS = 2.0  # for one module, so that its facts are the same on a busy machine


def module(source: str) -> Any:
    """Return the module of this source, under a name of its own."""
    made = types.ModuleType(f"bank_engine_{time.monotonic_ns()}")
    sys.modules[made.__name__] = made  # dataclasses look their module up
    exec(_compiled(source), vars(made))
    return made


@lru_cache(maxsize=1)
def _compiled(source: str) -> Any:
    return compile(source, "engine.py", "exec")


def timed(source: str) -> AbstractContextManager[Callable[[], Any]]:
    """Return, as a context manager, what makes a new module of this source and limits its time."""
    return limited(lambda: module(source), wall=WALL_SECONDS)


def facts_of(source: str, todo: int) -> Facts | None:
    """Return the facts of the engine of this source, or None if it had to be killed."""

    def observed() -> Facts:
        with timed(source) as fresh:
            return observe(fresh, todo)

    try:
        facts: Facts = in_fork(observed, SECONDS)
    except ForkEnded:
        return None
    return facts
