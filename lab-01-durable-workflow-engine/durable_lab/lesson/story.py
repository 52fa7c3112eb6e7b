"""Helpers that the lessons share: begin a run, deliver a signal, continue from a result, crash at a planned point."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from durable_lab import study, todos
from durable_lab.checks.bench import Crash
from durable_lab.lesson.trying import NotYet, fresh


class Clock:
    """A simulated clock, in seconds. Unlike the engine's own, it exists even if the engine cannot be imported.

    Raises RuntimeError after 1,000 sleeps, so that an endless retry loop ends.
    """

    def __init__(self, start: float = 0.0) -> None:
        self._now = float(start)
        self._left = 1000

    def now(self) -> float:
        return self._now

    def sleep(self, seconds: float) -> None:
        self._left -= 1
        if self._left < 0:
            raise RuntimeError("the engine slept 1,000 times on this clock; the retry loop probably never ends")
        self._now += seconds


_folders: list[tempfile.TemporaryDirectory[str]] = []  # deleted when the kernel exits


def new_folder() -> Path:
    """Return a new empty folder, so that a cell can be run again. It is deleted when the kernel exits."""
    _folders.append(tempfile.TemporaryDirectory(prefix="lesson-", ignore_cleanup_errors=True))
    return Path(_folders[-1].name)


def new_file() -> Path:
    """Return the path of a new, empty ledger file."""
    return new_folder() / "world.db"


def begin(workflow_id: str, given: Any = None, *, needs: tuple[int, ...] = ()) -> Any:
    """Return a new WorkflowState, or a NotYet, also if one of the TODOs in `needs` is still open.

    `needs` is for workflows that catch everything: they would also swallow the message of an open TODO.
    """
    return fresh(lambda m: _begin(m, workflow_id, given, needs))


def _begin(m: Any, workflow_id: str, given: Any, needs: tuple[int, ...]) -> Any:
    for number in needs:
        if number in todos.open_todos(study.current().text()):
            raise NotImplementedError(f"TODO {number}: is still to be written")
    return m.WorkflowState(workflow_id, given)


def then(thing: Any, action: Callable[[Any, Any], Any]) -> Any:
    """Return `action(engine module, thing)`. If `thing` is a NotYet, return it and do nothing."""
    return thing if isinstance(thing, NotYet) else fresh(lambda m: action(m, thing))


def deliver(state: Any, name: str, payload: Any = None, *, clock: Any = None) -> Any:
    """Return the state after `DurableEngine.signal`, or a NotYet. `clock` gives the time of the signal, 0.0 if None."""
    return then(state, lambda m, s: m.DurableEngine(clock=clock or Clock()).signal(s, name, payload))


def crash_at(point: str) -> Callable[[str], None]:
    """Return a callback for a service's `at` that raises Crash when this point is passed for the first time."""
    left = [point]

    def at(passed: str) -> None:
        if passed in left:
            left.remove(passed)
            raise Crash(passed)

    return at
