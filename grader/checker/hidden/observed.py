"""Calls, records and errors as plain values, which the hidden tests compare."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from durable_lab.checks.bench import Bench
from durable_lab.checks.failure import show

Call = tuple[str, list[Any]]  # an activity's name, and its arguments


def as_text(name: str, args: Iterable[Any]) -> str:
    """A call as the bench counts it: `name("x", 30)`."""
    return f"{name}({', '.join(map(show, args))})"


def names(state: Any) -> list[str]:
    """The names of the recorded commands."""
    return [command.name for command in state.commands]


def run_to_failure(bench: Bench, workflow: Callable[..., Any], state: Any = None, **options: Any) -> Any:
    """Run a workflow whose activities fail. None of these errors may leave `run`."""
    try:
        return bench.run(workflow, state, **options)
    except (bench.m.ActivityError, ArithmeticError, LookupError, OSError, RuntimeError, ValueError) as error:
        must = "a failed activity is an ActivityError in the workflow, and a failed workflow is a result of `run`"
        raise bench.broken("R13", must, f"{type(error).__name__} came out of `run`: {error}") from None


def what_came_out(call: Callable[[], Any]) -> str:
    """The exception that a call raises as "Type: message", or that it returned."""
    try:
        call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "nothing: the call returned"
