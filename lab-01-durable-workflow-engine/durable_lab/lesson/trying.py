"""Run a workflow on the engine under study from a lesson: an open TODO is a sentence, not a traceback."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from durable_lab import study, todos


def engine() -> Any:
    """The engine's module, as LAB_MODULE names it; read anew if its file has changed since it was imported."""
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

    A Crash or another BaseException of the lesson's own comes out as it is.
    """
    return fresh(lambda m: m.DurableEngine(**options).run(workflow, state))


def fresh(action: Callable[[Any], Any]) -> Any:
    """`action(engine module)`, or a NotYet where the engine under study is not ready for it."""
    try:
        result = action(engine())
    except study.StudyError as error:
        return NotYet(str(error))
    except Exception as error:
        return NotYet(_why(error))
    if getattr(result, "status", "") == "failed" and "NotImplementedError: TODO" in str(result.error):
        return NotYet(_open(str(result.error).partition(": ")[2]))
    return result


def _why(error: Exception) -> str:
    if isinstance(error, NotImplementedError) and str(error).startswith("TODO"):
        return _open(str(error))
    return f"Your engine raised {type(error).__name__}: {error}. {study.current().place(error)}"


def _open(text: str) -> str:
    number = int(text.removeprefix("TODO ").partition(":")[0])
    return f"Not yet: this needs TODO {number} ({todos.all_todos()[number].title}). Write it, then run this cell again."
