"""From recorded events to the rows of a timeline: attempts, waits, and which worker ran what live."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

MARKS = {"done": "●", "failed": "✖", "blocked": "◇", "signal": "✉", "worker": "▶", "tried": "·"}


@dataclass(frozen=True)
class Row:
    """One line of a timeline. `mark` is a key of MARKS; `at` is in seconds since the run's first event, or None."""

    mark: str
    position: int | None
    at: float | None
    what: str
    outcome: str = ""
    live_in: str = ""  # the worker that ran it
    replayed_by: str = ""  # the workers that only read it


def rows_of(
    records: Sequence[Any], sessions: Sequence[Any] = (), status: str = "", detail: str | None = None
) -> list[Row]:
    """The rows of one run.

    records   its Commands and Signals in the order in which they became durable
    sessions  its workers: `number`, `engine`, `began_after` (records there when it began), `at`
    status    how it stands ("blocked" adds the row of the wait), `detail` what it waits for or why it failed
    """
    start = min([*(_began(record) for record in records), *(session.at for session in sessions)], default=0.0)
    made: list[Row] = []
    position = 0
    for seq in range(len(records) + 1):
        for session in (s for s in sessions if s.began_after == seq):
            made.append(_worker_row(session, position, start))
        if seq < len(records):
            record = records[seq]
            made += _record_rows(record, position, start, *_workers(seq, sessions))
            position += hasattr(record, "kind")
    if status == "blocked":
        made.append(Row("blocked", position, None, f"waits for the signal {detail}", "blocked; nothing is held"))
    elif status == "running":
        made.append(Row("blocked", position, None, "the worker is at work, or it died here", "running"))
    elif status in ("completed", "failed"):
        made.append(Row("done" if status == "completed" else "failed", None, None, status, detail or ""))
    return made


def _began(record: Any) -> float:
    return float(record.started_at if hasattr(record, "kind") else record.received_at)


def _worker_row(session: Any, position: int, start: float) -> Row:
    replays = {0: "nothing to replay", 1: "replays 0"}.get(position, f"replays 0 to {position - 1}")
    name = session.engine.partition(" ")[0]
    return Row("worker", None, session.at - start, f"worker {session.number} begins", f"{replays} ({name})")


def _workers(seq: int, sessions: Sequence[Any]) -> tuple[str, str]:
    """Which worker ran the record live, and which ones replayed it."""
    before = [str(s.number) for s in sessions if s.began_after <= seq]
    return before[-1] if before else "", ", ".join(str(s.number) for s in sessions if s.began_after > seq)


def _record_rows(record: Any, position: int, start: float, live: str, replayed: str) -> Iterator[Row]:
    if not hasattr(record, "kind"):
        at = record.received_at - start
        yield Row("signal", None, at, f"signal {record.name} is delivered", brief(record.payload))
        return
    if len(record.tries) > 1:
        for i, attempt in enumerate(record.tries):
            pause = record.tries[i + 1].started_at - attempt.ended_at if i + 1 < len(record.tries) else None
            gap = f", then a back-off of {pause:.2f} s" if pause is not None else ""
            text = f"{attempt.error or 'it worked'}{gap}"
            yield Row("tried", position, attempt.started_at - start, f"  attempt {i + 1} of {record.name}", text)
    args = ", ".join(brief(arg, 24) for arg in record.args)
    what = {"signal": f"waited for {record.name}", "now": "now"}.get(record.kind, f"{record.name}({args})")
    outcome = brief(record.value) if record.ok else f"failed: {record.error}"
    yield Row("done" if record.ok else "failed", position, record.ended_at - start, what, outcome, live, replayed)


def brief(value: Any, width: int = 60) -> str:
    """A value as JSON, cut to what fits in a cell."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= width else text[: width - 3] + "..."
