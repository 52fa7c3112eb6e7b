"""A worker: load a run from the store, run it on the engine under study, and store how it ended."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from durable_lab.attempts import Attempts, Stopped
from durable_lab.stores import SQLiteStore
from durable_lab.study import Study, StudyError


def _unshown(record: Any) -> None:
    """Show nothing."""


def watched(
    journal: Callable[[Any], object], at: Callable[[str], None], signal: type, show: Callable[[Any], None] = _unshown
) -> Callable[[Any], None]:
    """A journal that, once a record is durable, passes it to `show` and its point to `at`: "pay_back.recorded".

    The point of a signal is "approval.delivered", or "approval.known" if the store dropped it because its key is known.
    """

    def record(entry: Any) -> None:
        dropped = journal(entry) is None
        if not dropped:
            show(entry)
        word = "known" if dropped else "delivered" if isinstance(entry, signal) else "recorded"
        at(f"{entry.name}.{word}")

    return record


def work(
    store: SQLiteStore,
    study: Study,
    workflow_id: str,
    workflow: Any,
    at: Callable[[str], None],
    show: Callable[[Any], None] = _unshown,
    **options: Any,
) -> Any:
    """Go on with a run until it completes, blocks or fails. Returns the engine's RunResult.

    at, show  called with each record once it is durable, see `watched`

    Raises what the engine raises, and StudyError if the workflow's result is not JSON. The store keeps the history
    recorded so far.
    """
    engine = study.module()
    state = store.load(workflow_id)
    clock = engine.SystemClock()
    attempts = Attempts(store, workflow_id, len(state.commands), clock)
    journal = watched(attempts.counting(store.journal(workflow_id)), at, engine.Signal, show)
    store.begin(workflow_id, study.label, clock.now())
    host = engine.DurableEngine(clock=attempts, journal=journal, **options)
    try:
        result = host.run(attempts.counted(workflow), state)
    except Stopped as stopped:
        raise stopped.why from None
    detail = {"blocked": result.waiting_for, "failed": result.error}.get(result.status)
    if result.status == "completed":
        detail = _as_json(engine, workflow_id, result.value)
    store.finish(workflow_id, result.status, detail)
    return result


def _as_json(engine: Any, workflow_id: str, value: Any) -> str | None:
    """A workflow's result as JSON, None if it is long. Raises StudyError that names what JSON cannot carry."""
    try:
        engine.WorkflowState(workflow_id, value).to_json()  # refuses what `dumps` would change: a key that is a number
        text = json.dumps(value, allow_nan=False)
        return text if len(text) <= 10_000 else None
    except (RecursionError, TypeError, ValueError) as error:
        why = str(error).replace("input", "the result", 1)
        raise StudyError(
            f"run {workflow_id!r}: its workflow returned, but JSON cannot carry what it returned: {why}. All commands "
            "are recorded, and the run is not completed: return plain JSON, then resume."
        ) from None


def deliver(
    store: SQLiteStore,
    study: Study,
    workflow_id: str,
    name: str,
    payload: Any,
    at: Callable[[str], None],
    show: Callable[[Any], None] = _unshown,
) -> bool:
    """Deliver a signal to a run, once for each name. Returns False if there is one of this name already: it stays."""
    engine, told = study.module(), []

    def tell(point: str) -> None:
        told.append(point)
        at(point)

    journal = watched(store.journal(workflow_id, signal_key=name), tell, engine.Signal, show)
    engine.DurableEngine(journal=journal).signal(store.load(workflow_id), name, payload)
    return f"{name}.known" not in told
