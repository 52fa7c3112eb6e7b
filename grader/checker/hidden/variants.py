"""The hidden tests by name, and the seed of each."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from grader.checker.hidden import history, promises, signals, time_and_retries

MODULES = (history, time_and_retries, signals, promises)  # in the order of the 14


def load() -> dict[str, Callable[..., Any]]:
    """The hidden tests by the names of their public twins, as `test(bench, seed)`; with a marker in `pytestmark`."""
    return {
        name: test
        for module in MODULES
        for name, test in vars(module).items()
        if name.startswith("test_") and test.__module__ == module.__name__
    }


def seed_for(test_name: str, course: str = "lab-01") -> Random:
    """A new random generator, the same for the same test and course. A course keeps its text secret."""
    return Random(f"{course}/{test_name}")
