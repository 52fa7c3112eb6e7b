"""The rows of the table, derived from the events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from durable_lab.timeline.events import from_records
from durable_lab.timeline.model import ENDS, Event, History, span
from durable_lab.timeline.times import NO_TIME
from durable_lab.timeline.words import brief

MARKS = {
    "done": "●",
    "failed": "✖",
    "blocked": "◇",
    "signal": "✉",
    "worker": "▶",
    "tried": "·",
    "fired": "▲",
    "crash": "↯",
    "divergence": "≠",
    "unknown": "?",
}
_KINDS = {"delivered": "signal", "timer": "fired", "running": "blocked"}

__all__ = ["MARKS", "Row", "brief", "rows_of", "table_rows"]


@dataclass(frozen=True)
class Row:
    """One line of a timeline. `mark` is a key of MARKS; `at` is in seconds since the run's first event, or None."""

    mark: str
    position: int | None
    at: float | None
    what: str
    outcome: str = ""
    live_in: str = ""  # the worker that ran it
    replayed_by: str = ""  # the workers that only replayed it
    ran: str = ""  # in this run: "replayed", "live", or "unread"
    untimed: bool = False  # the record has no time although others have one


def rows_of(
    records: Sequence[Any], sessions: Sequence[Any] = (), status: str = "", detail: str | None = None
) -> list[Row]:
    """Return the rows of one run.

    records   its Commands and Signals in the order in which they became durable
    sessions  its workers: `number`, `engine`, `began_after` (records there when it began), `at`
    status    how it stands ("blocked" adds the row of the wait), `detail` what it waits for or why it failed
    """
    return table_rows(from_records(records, sessions, status=status, detail=detail))


def table_rows(history: History) -> list[Row]:
    """Return the rows of a history. Attempts have rows of their own if there were several."""
    told = any(
        event.ran in ("replayed", "unread") for event in history.events
    )  # else all is live, and not worth a word
    start = span(history.events)[0]
    rows: list[Row] = []
    for event in history.events:
        if event.tries > 1:
            rows.append(_attempt(event, start))
        if event.kind == "gap":
            rows.append(Row("tried", event.position, _since(event, start), f"  back-off {event.outcome}".rstrip()))
        elif event.tries < 2 or event.final:
            rows.append(_row(event, start, told))
    return rows


def _row(event: Event, start: float, told: bool) -> Row:
    mark = _KINDS.get(event.kind, event.kind if event.kind in MARKS else "done")
    if not event.ok and mark == "done":
        mark = "failed"
    at = None if event.kind in ENDS else _since(event, start)
    untimed = event.at == NO_TIME
    outcome = event.outcome if event.kind not in ("completed",) else ""
    position = None if event.kind in ("completed", "failed") else event.position
    ran = event.ran if told and event.kind != "blocked" else ""
    what = "unread: " + event.what if event.kind == "delivered" and event.link is None else event.what
    return Row(mark, position, at, what, outcome, event.live_in, event.replayed_by, ran, untimed)


def _since(event: Event, start: float) -> float | None:
    at = event.when
    return None if at is None or not event.at else at - start


def _attempt(event: Event, start: float) -> Row:
    text = "it worked" if event.ok else event.outcome.removeprefix("failed: ")
    return Row("tried", event.position, _since(event, start), f"  attempt {event.attempt} of {event.name}", text)
