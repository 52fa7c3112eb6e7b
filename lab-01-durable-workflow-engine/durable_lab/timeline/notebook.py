"""`Timeline`, which makes the widget. The base install, which has no Jupyter, can import this module."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from durable_lab.timeline.figure import Drawing, draw


def Timeline(
    workflow: Callable[..., Any], state: Any, *, engine: ModuleType | None = None, ledger: Any = None, **options: Any
) -> Any:
    """Return the timeline as a widget: scrub, step, crash, deliver a signal, drop a result, fork.

    workflow  the function `workflow(ctx, input)` that is run
    state     a WorkflowState or a RunResult to begin from; any other value (an open TODO) is shown as its `repr`
    engine    the engine's module; if None, the one that LAB_MODULE names
    ledger    the world's own books (`effects()`), read again after each action
    options   `clock`, `signals` ({name: example of a payload} to offer), `retry` and `guard` for the engine

    Without anywidget, returns the figure.
    """
    if not hasattr(getattr(state, "state", state), "commands"):
        return Drawing(repr(state))
    try:
        from durable_lab.timeline.widget import TimelineWidget
    except ImportError:
        return draw(state, ledger=ledger)
    return TimelineWidget(workflow, state, engine=engine, ledger=ledger, **options)
