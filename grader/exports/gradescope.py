"""Gradescope: the `results.json` that an autograder leaves in /autograder/results, one for each submission.

The format is Gradescope's "Autograder Specifications", "Output format". Each part of the rubric is a test with points,
visible to the student once the instructor publishes the marks. Printed output is never shown.
"""

from __future__ import annotations

import json
from typing import Any

from grader.display import line
from grader.pages.part import NOT_ISOLATED, part_text
from grader.pages.student_page import why
from grader.report import Part, Report

VISIBILITY = "after_published"  # or "visible", "after_due_date", "hidden"


def results_json(report: Report, visibility: str = VISIBILITY) -> str:
    """Return one results.json."""
    seen: set[str] = set()
    made = {
        "score": report.points,
        "output": _above(report),
        "output_format": "text",
        "visibility": visibility,
        "stdout_visibility": "hidden",
        "tests": [_test(number, part, visibility, seen) for number, part in enumerate(report.parts, 1)],
    }
    return json.dumps(made, indent=1) + "\n"


def _above(report: Report) -> str:
    """Return the remarks on the submission as a whole."""
    lines = [] if report.isolated else [NOT_ISOLATED]
    lines += [f"Late: {line(report.late)}"] if report.late else []
    lines += [f"Could not be used: {line(sentence)}" for sentence in report.refusals]
    lines += [f"Repaired: {line(sentence)}" for sentence in report.repairs]
    return "\n".join(lines)


def _test(number: int, part: Part, visibility: str, seen: set[str]) -> dict[str, Any]:
    head = why(part)
    return {
        "number": str(number),
        "name": line(part.name) + (f": {head}" if head else ""),
        "name_format": "text",
        "score": part.points,
        "max_score": part.out_of,
        "status": "passed" if part.points >= part.out_of else "failed",
        "output": part_text(part, seen=seen),
        "output_format": "text",  # else Gradescope may take it for HTML
        "visibility": visibility,
    }
