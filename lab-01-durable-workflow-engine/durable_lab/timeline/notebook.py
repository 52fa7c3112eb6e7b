"""The door to the widget. It is here so that the base install, which has no Jupyter, can import the package."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from durable_lab.timeline.figure import Drawing, draw


def Timeline(
    workflow: Callable[..., Any], state: Any, *, engine: ModuleType | None = None, ledger: Any = None, **options: Any
) -> Any:
    """The timeline as a widget that can be driven: scrub, step, crash, deliver a signal, drop a result, fork.

    workflow  the function `workflow(ctx, input)` that is run
    state     a WorkflowState or a RunResult to begin from; anything else (an open TODO) is shown as it is
    engine    the engine's module; if None, the one that LAB_MODULE names
    ledger    the world's own books (`effects()`), read again after each action
    options   `clock`, `signals` ({name: example of a payload} to offer), `retry` and `guard` for the engine

    Where the widget cannot be had, the figure stands in its place.
    """
    if not hasattr(getattr(state, "state", state), "commands"):
        return Drawing(repr(state))
    try:
        from durable_lab.timeline.widget import TimelineWidget
    except ImportError:
        return draw(state, ledger=ledger)
    return TimelineWidget(workflow, state, engine=engine, ledger=ledger, **options)
