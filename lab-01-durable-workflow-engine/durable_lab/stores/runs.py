"""What a store knows of a run beside its history."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

ENDED = ("completed", "failed")
STATUSES = ("running", "blocked", *ENDED)


@dataclass(frozen=True)
class Session:
    """A worker that took up the run. `number` counts from 1; `at` is in seconds, on the worker's clock."""

    number: int
    engine: str  # which engine, from which file
    began_after: int  # so many records were in the history when it began: those it replays
    at: float


@dataclass(frozen=True)
class Run:
    """A run as it was last left. History is the truth; `status` and `detail` only sum it up for a list."""

    workflow_id: str
    workflow: str
    input: Any
    status: str  # "running" (or died at it), "blocked", "completed" or "failed"
    detail: str | None  # blocked: the signal it waits for; failed: the error; completed: the value as JSON, or None
    sessions: tuple[Session, ...]
