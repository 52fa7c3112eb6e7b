"""Python's garbage collector, paused while very many objects are made that all stay."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def paused(make: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function that makes a long history: the collector would search it for garbage every few events.

    For 10,000 events that is a third of the time, and more in a kernel, which has many objects of its own.
    """

    @functools.wraps(make)
    def made(*args: P.args, **options: P.kwargs) -> R:
        if not gc.isenabled():
            return make(*args, **options)
        gc.disable()
        try:
            return make(*args, **options)
        finally:
            gc.enable()

    return made
