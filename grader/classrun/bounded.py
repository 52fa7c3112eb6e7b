"""A report that fits into history: a record has at most a million characters, and is read again at every recovery."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from grader.checker.outcome import Outcome
from grader.display import plain
from grader.report import Part, Report

MOST = 400_000  # characters of a report as JSON
ROOMS = (6_000, 1_000, 100)  # characters of one message: the first that does


def fitted(report: Report) -> dict[str, Any]:
    """The report as JSON, its messages cut to what fits. Raises ValueError where even short ones do not."""
    for room in ROOMS:
        made = replace(report, parts=tuple(_part(part, room) for part in report.parts)).to_json()
        if len(json.dumps(made)) <= MOST:
            return made
    raise ValueError(f"its report has over {MOST} characters")


def _part(part: Part, room: int) -> Part:
    return replace(part, outcomes=tuple(_outcome(outcome, room) for outcome in part.outcomes))


def _outcome(outcome: Outcome, room: int) -> Outcome:
    return replace(outcome, message=plain(outcome.message, room)) if outcome.message else outcome
