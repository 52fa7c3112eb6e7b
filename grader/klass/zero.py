"""The report of a submission that cannot be graded: no points, and why."""

from __future__ import annotations

from durable_lab.todos import all_todos
from grader.report import Part, Report
from grader.rubric import weights

COULD_NOT = "could not be graded"


def nothing(student: str, why: str, isolated: bool = True) -> Report:
    """A report with 0 for every part of the rubric. `why` is a sentence for the student and the instructor."""
    table = weights()
    out_of = {
        **{f"TODO {number}": table["todo"][str(number)] for number in all_todos()},
        "whole engine": table["whole"]["points"],
        **table["lessons"],
    }
    parts = tuple(Part(name, 0.0, float(points), COULD_NOT) for name, points in out_of.items())
    return Report(student, parts, refusals=(why,), isolated=isolated)
