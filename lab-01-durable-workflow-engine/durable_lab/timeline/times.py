"""Decide which times in a history can be used.

An engine may record no times (0.0) or times of two clocks, and a clock may go back. Then only the order of the records
is certain, and the reader is told so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from durable_lab.printable import printable
from durable_lab.timeline.words import WALL, duration, seconds

NO_TIME = "no time"


class Times:
    """Call it with a time of a record: returns the time in seconds, or None if the record has none.

    note      what a reader must know about the times; "" if nothing
    by_order  why x cannot be time; "" if it can
    shown     whether any time passes
    began     the first time of the machine's clock; None on a simulated one
    """

    def __init__(self, records: Sequence[Any]) -> None:
        given = [list(_times(record)) for record in records]
        flat = [at for times in given for at in times if at is not None]
        self._wall = any(at >= WALL for at in flat)
        self._zeros = not self._wall and not (any(flat) and _has_missing(records, given))
        known = [[at for at in times if at is not None and self._is_known(at)] for times in given]
        untimed = sum(not times for times in known)
        back = _back(records, known)
        some = [at for times in known for at in times]
        low, high = min(some, default=0.0), max(some, default=0.0)
        self.note = ""
        if records and untimed == len(records):
            self.by_order = "No times are recorded."
        elif untimed:
            self.note = self.by_order = f"{untimed} of {len(records)} records have no time."
        else:
            self.by_order = "" if high > low else "No time passes between the records."
        if back:
            self.note = self.by_order = " ".join(part for part in (self.note, back) if part)
        self.shown = high > low  # else "+0 s" everywhere says nothing
        self.began = low if self._wall else None  # on the machine's clock

    def __call__(self, value: Any) -> float | None:
        at = seconds(value)
        return at if at is not None and self._is_known(at) else None

    def _is_known(self, at: float) -> bool:
        return (at >= WALL) == self._wall and (at != 0.0 or self._zeros)


def _times(record: Any) -> Iterator[float | None]:
    """Yield all times of a record in the order in which they passed."""
    if not hasattr(record, "kind"):
        yield seconds(record.received_at)
        return
    yield seconds(record.started_at)
    for attempt in record.tries or ():
        yield seconds(attempt.started_at)
        yield seconds(attempt.ended_at)
    yield seconds(record.ended_at)


def _has_missing(records: Sequence[Any], given: Sequence[Sequence[float | None]]) -> bool:
    """Whether 0.0 stands for "not recorded": it follows a later time, an activity has no attempt that took place, or
    only signals have it."""
    both = list(zip(records, given, strict=True))
    commands = [(record, times) for record, times in both if hasattr(record, "kind")]
    signals = [times for record, times in both if not hasattr(record, "kind")]
    if any(r.kind == "activity" and not r.tries and not any(times) for r, times in commands):
        return True
    sent, ran = [at for times in signals for at in times], [at for _, times in commands for at in times]
    return _returns_to_zero(sent) or _returns_to_zero(ran) or (0.0 in sent and bool(ran) and all(ran))


def _returns_to_zero(times: Sequence[float | None]) -> bool:
    passed = next((i for i, at in enumerate(times) if at), len(times))
    return 0.0 in times[passed:]


def _back(records: Sequence[Any], known: Sequence[Sequence[float]]) -> str:
    """Return a sentence about the first place at which the clock goes back; "" if there is none."""
    latest: float | None = None
    for record, times in zip(records, known, strict=True):
        for at in times:
            if latest is not None and at < latest - 0.001:
                return f"The clock goes back {duration(latest - at)} at {printable(str(record.name)):.60}."
            latest = at
    return ""
