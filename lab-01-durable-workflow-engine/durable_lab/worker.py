"""A worker: take a run from the store, run it on the engine under study, and put the outcome back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from durable_lab.stores import SQLiteStore
from durable_lab.study import Study


def watched(journal: Callable[[Any], object], at: Callable[[str], None], signal: type) -> Callable[[Any], None]:
    """A journal that, once a record is durable, tells `at` of it: "pay_back.recorded", "approval.delivered".

    A signal that the store drops, because its key is known, is told of as "approval.known".
    """

    def record(entry: Any) -> None:
        dropped = journal(entry) is None
        word = "known" if dropped else "delivered" if isinstance(entry, signal) else "recorded"
        at(f"{entry.name}.{word}")

    return record


def work(
    store: SQLiteStore, study: Study, workflow_id: str, workflow: Any, at: Callable[[str], None], **options: Any
) -> Any:
    """Go on with a run until it completes, blocks or fails. Returns the engine's RunResult.

    Raises what the engine raises; the history recorded so far is in the store then.
    """
    engine = study.module()
    state = store.load(workflow_id)
    journal = watched(store.journal(workflow_id), at, engine.Signal)
    clock = engine.SystemClock()
    store.begin(workflow_id, study.label, clock.now())
    result = engine.DurableEngine(clock=clock, journal=journal, **options).run(workflow, state)
    detail = {"blocked": result.waiting_for, "failed": result.error}.get(result.status)
    store.finish(workflow_id, result.status, detail)
    return result


def deliver(
    store: SQLiteStore, study: Study, workflow_id: str, name: str, payload: Any, at: Callable[[str], None]
) -> bool:
    """Deliver a signal to a run, once for each name. Returns False where one has come before: that one stays."""
    engine, told = study.module(), []

    def tell(point: str) -> None:
        told.append(point)
        at(point)

    journal = watched(store.journal(workflow_id, signal_key=name), tell, engine.Signal)
    engine.DurableEngine(journal=journal).signal(store.load(workflow_id), name, payload)
    return f"{name}.known" not in told
