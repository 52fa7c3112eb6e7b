"""What a store keeps about a run in addition to its history."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

ENDED = ("completed", "failed")
STATUSES = ("running", "blocked", *ENDED)


@dataclass(frozen=True)
class Session:
    """A worker's turn on the run. `number` counts from 1; `at` is in seconds on the worker's clock."""

    number: int
    engine: str  # which engine, from which file
    began_after: int  # the number of records in the history when it began: it replays them
    at: float


@dataclass(frozen=True)
class Run:
    """A run as its last worker left it. The history counts; `status` and `detail` only summarise it for a list."""

    workflow_id: str
    workflow: str
    input: Any
    status: str  # "running" (or died at it), "blocked", "completed" or "failed"
    detail: str | None  # blocked: the signal it waits for; failed: the error; completed: the value as JSON, or None
    sessions: tuple[Session, ...]
