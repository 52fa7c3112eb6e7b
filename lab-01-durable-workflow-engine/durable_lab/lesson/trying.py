"""Run a workflow on the engine under study from a lesson. An open TODO gives a sentence, not a traceback."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from durable_lab import study, todos
from durable_lab.checks.bench import Crash
from durable_lab.checks.failure import command_line
from durable_lab.lesson.predict import Prediction

RUN_SECONDS = 10  # for one run in a lesson; they take milliseconds, since their clocks are simulated


def engine() -> Any:
    """Return the engine's module, as LAB_MODULE names it; reloaded if its file has changed since it was imported."""
    chosen = study.current()
    chosen.refresh()
    return chosen.module()


@dataclass(frozen=True)
class NotYet:
    """Takes the place of a result that an unfinished engine could not give."""

    why: str
    status: str = "not yet"
    value: Any = None
    error: str | None = None
    waiting_for: str | None = None
    state: Any = None

    def __repr__(self) -> str:
        return self.why


def attempt_run(workflow: Callable[..., Any], state: Any, **options: Any) -> Any:
    """Return the RunResult of `DurableEngine(**options).run(workflow, state)`, or a NotYet that says what is missing.

    A Crash or another BaseException of the lesson propagates. If the state is a NotYet, returns it.
    """
    if isinstance(state, NotYet):
        return state
    if state is None:
        return NotYet("Not yet: the run before this one gave no result, so there is no history to continue from.")
    return fresh(lambda m: m.DurableEngine(**options).run(workflow, state))


def crash_run(workflow: Callable[..., Any], state: Any, **options: Any) -> Any:
    """Run until an activity raises Crash. Returns the state that a new process finds in the journal, or a NotYet."""
    journal: list[Any] = []
    try:
        result = attempt_run(workflow, state, journal=journal.append, **options)
    except Crash:
        return fresh(lambda m: _recorded(m, state, journal))
    if isinstance(result, NotYet):
        return result
    why = f" ({result.error})" if result.error else ""
    return NotYet(f"Not yet: this run should have ended in a crash, but it returned as {result.status}{why}.")


def _recorded(m: Any, start: Any, journal: list[Any]) -> Any:
    commands = [*start.commands, *(record for record in journal if hasattr(record, "kind"))]
    signals = [*start.signals, *(record for record in journal if not hasattr(record, "kind"))]
    return m.WorkflowState.from_json(m.WorkflowState(start.workflow_id, start.input, commands, signals).to_json())


def show(result: Any) -> None:
    """Print how a run ended and its history, one line for each command; for a state, its history only."""
    if isinstance(result, NotYet):
        print(result.why)
        return
    state = getattr(result, "state", result)
    if state is not result:
        said = {"completed": result.value, "blocked": f"it waits for {result.waiting_for}", "failed": result.error}
        print(f"{result.status}: {said.get(result.status)}")
    commands = getattr(state, "commands", None) or []
    for position, command in enumerate(commands):
        print(f"  {command_line(position, command)}")
    if not commands:
        print("  nothing is recorded")


def compare(prediction: Prediction, result: Any, actual: Any) -> None:
    """Call `prediction.compare(actual)`. If `result` is a NotYet, print what is missing instead."""
    if isinstance(result, NotYet):
        print(result.why)
    elif isinstance(prediction, Prediction):
        prediction.compare(actual)
    else:  # the box was overwritten: `live = 3`
        Prediction(prediction).compare(actual)


def fresh(action: Callable[[Any], Any]) -> Any:
    """Return `action(engine module)`, or a NotYet if the engine under study is not ready for it."""
    try:
        m = engine()
        with _watched():
            result = action(m)
    except study.StudyError as error:
        return NotYet(str(error))
    except _Endless as error:
        ended = f"Your engine did not return within {RUN_SECONDS} seconds: a loop does not end, or it really sleeps."
        return NotYet(f"{ended} {study.current().place(error)}")
    except Exception as error:
        return NotYet(_why(error))
    if getattr(result, "status", "") == "failed":
        number = todos.stub_behind(getattr(result, "cause", None) or result.error)
        return NotYet(_open(number)) if number else result
    return result


class _Endless(BaseException):
    """Raised in a run that takes too long."""


@contextlib.contextmanager
def _watched() -> Iterator[None]:
    """Raise _Endless in a run that takes too long, so that the notebook's kernel is free again.

    If there is no such signal (Windows, another thread), or if it is in use, the run is not watched.
    """
    free = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if not free or signal.getsignal(signal.SIGALRM) not in (signal.SIG_DFL, None):
        yield
        return

    def ring(number: int, frame: Any) -> None:
        raise _Endless

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, RUN_SECONDS, 1)  # repeated every second, because a loop may catch it
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


def _why(error: Exception) -> str:
    if number := todos.stub_behind(error):
        return _open(number)
    return f"Your engine raised {type(error).__name__}: {error}. {study.current().place(error)}"


def _open(number: int) -> str:
    return f"Not yet: this needs TODO {number} ({todos.all_todos()[number].title}). Write it, then run this cell again."
