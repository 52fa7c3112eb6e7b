"""Run a workflow on the engine under study from a lesson: an open TODO is a sentence, not a traceback."""

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
    """The engine's module, as LAB_MODULE names it; read again if its file has changed since it was imported."""
    chosen = study.current()
    chosen.refresh()
    return chosen.module()


@dataclass(frozen=True)
class NotYet:
    """The place of a result that an unfinished engine could not give."""

    why: str
    status: str = "not yet"
    value: Any = None
    error: str | None = None
    waiting_for: str | None = None
    state: Any = None

    def __repr__(self) -> str:
        return self.why


def attempt_run(workflow: Callable[..., Any], state: Any, **options: Any) -> Any:
    """A RunResult of `DurableEngine(**options).run(workflow, state)`, or a NotYet that says what is in the way.

    A Crash or another BaseException of the lesson's own comes out as it is. A NotYet in the place of the state is
    handed on.
    """
    if isinstance(state, NotYet):
        return state
    if state is None:
        return NotYet("Not yet: the run before this one could not be made, so there is no history to go on from.")
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
    return NotYet(f"Not yet: this run should have ended by a crash, but it came back as {result.status}{why}.")


def _recorded(m: Any, start: Any, journal: list[Any]) -> Any:
    commands = [*start.commands, *(record for record in journal if hasattr(record, "kind"))]
    signals = [*start.signals, *(record for record in journal if not hasattr(record, "kind"))]
    return m.WorkflowState.from_json(m.WorkflowState(start.workflow_id, start.input, commands, signals).to_json())


def show(result: Any) -> None:
    """Print how a run ended and its history, a line for each command; of a state, its history."""
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
    """`prediction.compare(actual)`; where `result` is a NotYet nothing has happened, so say what is in the way."""
    if isinstance(result, NotYet):
        print(result.why)
    elif isinstance(prediction, Prediction):
        prediction.compare(actual)
    else:  # the box was overwritten: `live = 3`
        Prediction(prediction).compare(actual)


def fresh(action: Callable[[Any], Any]) -> Any:
    """`action(engine module)`, or a NotYet where the engine under study is not ready for it."""
    try:
        m = engine()
        with _watched():
            result = action(m)
    except study.StudyError as error:
        return NotYet(str(error))
    except _Endless as error:
        ended = f"Your engine did not come back within {RUN_SECONDS} seconds: a loop does not end, or it really sleeps."
        return NotYet(f"{ended} {study.current().place(error)}")
    except Exception as error:
        return NotYet(_why(error))
    if getattr(result, "status", "") == "failed" and "NotImplementedError: TODO" in str(result.error):
        return NotYet(_open(str(result.error).partition(": ")[2]))
    return result


class _Endless(BaseException):
    """The run took too long."""


@contextlib.contextmanager
def _watched() -> Iterator[None]:
    """Raise _Endless where the run loops: a notebook's kernel must come back. Where there is no such signal (Windows,
    another thread), or the signal is in use, the run is not watched."""
    free = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if not free or signal.getsignal(signal.SIGALRM) not in (signal.SIG_DFL, None):
        yield
        return

    def ring(number: int, frame: Any) -> None:
        raise _Endless

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, RUN_SECONDS, 1)  # again and again: a loop may catch it
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


def _why(error: Exception) -> str:
    if isinstance(error, NotImplementedError) and str(error).startswith("TODO"):
        return _open(str(error))
    return f"Your engine raised {type(error).__name__}: {error}. {study.current().place(error)}"


def _open(text: str) -> str:
    number = int(text.removeprefix("TODO ").partition(":")[0])
    return f"Not yet: this needs TODO {number} ({todos.all_todos()[number].title}). Write it, then run this cell again."
