"""What the lessons share: begin a run, deliver a signal, go on from a result, die at a planned point."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from durable_lab import study, todos
from durable_lab.checks.bench import Crash
from durable_lab.lesson.trying import NotYet, fresh


class Clock:
    """A simulated clock, in seconds. Unlike the engine's own it is there even where the engine cannot be read.

    It refuses to be slept on for ever, so that an endless loop of retries ends: RuntimeError.
    """

    def __init__(self, start: float = 0.0) -> None:
        self._now = float(start)
        self._left = 1000

    def now(self) -> float:
        return self._now

    def sleep(self, seconds: float) -> None:
        self._left -= 1
        if self._left < 0:
            raise RuntimeError("this clock was slept on 1,000 times; does your loop ever end?")
        self._now += seconds


_folders: list[tempfile.TemporaryDirectory[str]] = []  # they are gone with the kernel


def new_folder() -> Path:
    """An empty folder, so that a cell may be run again and counts from nothing. It is gone with the kernel."""
    _folders.append(tempfile.TemporaryDirectory(prefix="lesson-", ignore_cleanup_errors=True))
    return Path(_folders[-1].name)


def new_file() -> Path:
    """A place for books in which nothing is written yet."""
    return new_folder() / "world.db"


def begin(workflow_id: str, given: Any = None, *, needs: tuple[int, ...] = ()) -> Any:
    """A new WorkflowState, or a NotYet: also where one of the TODOs in `needs` is still open.

    `needs` is for workflows that catch everything: they would swallow the word of an open TODO, too.
    """
    return fresh(lambda m: _begin(m, workflow_id, given, needs))


def _begin(m: Any, workflow_id: str, given: Any, needs: tuple[int, ...]) -> Any:
    for number in needs:
        if number in todos.open_todos(study.current().text()):
            raise NotImplementedError(f"TODO {number}: is still to be written")
    return m.WorkflowState(workflow_id, given)


def then(thing: Any, action: Callable[[Any, Any], Any]) -> Any:
    """`action(engine module, thing)`; a NotYet in the place of `thing` is handed on, and nothing is done."""
    return thing if isinstance(thing, NotYet) else fresh(lambda m: action(m, thing))


def deliver(state: Any, name: str, payload: Any = None, *, clock: Any = None) -> Any:
    """The state after `DurableEngine.signal`, or a NotYet. `clock` says when the signal comes; at 0.0 if None."""
    return then(state, lambda m, s: m.DurableEngine(clock=clock or Clock()).signal(s, name, payload))


def crash_at(point: str) -> Callable[[str], None]:
    """For a service's `at`: the process dies (Crash) when this point is passed for the first time."""
    left = [point]

    def at(passed: str) -> None:
        if passed in left:
            left.remove(passed)
            raise Crash(passed)

    return at
