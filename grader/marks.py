"""From findings to points. The weights are in weights.toml, the rule in grader/README.md."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from durable_lab.todos import all_todos
from grader.checker import suite
from grader.checker.check import Finding, check
from grader.handin import Submission, boxes, read, right_answers
from grader.report import NotGraded, Part, Report, Source
from grader.rubric import weights
from grader.sandbox import bubblewrap

LEAST_LOST = 1 / 3  # of a TODO's points, if any of its tests fails
KEPT = 0.5  # of a test of the whole engine that fails because of one TODO alone, which has paid for it in its own part


class NotIsolated(Exception):
    """There is no sandbox on this machine, and the instructor has not allowed students' code to run without one."""


def grade(folder: Path, student: str, *, isolated: bool = True, source: Source = "notebooks") -> Report:
    """The report on the submission in this folder. Raises NotIsolated if `isolated` is asked for and cannot be had.

    Raises NotGraded if the submission can have no mark: it cannot be read here, or only a text was handed in.

    isolated  False: the instructor allows this code to run without a sandbox; the report says so
    source    "files": the TODOs are taken from `lab/engine.py`, even if there are notebooks
    """
    if isolated and (why := bubblewrap.missing()):
        raise NotIsolated(f"{why}. Strangers' code is not run without a sandbox.")
    submission = read(folder, student, files=source == "files", isolated=isolated)
    if submission.not_graded:
        raise NotGraded(submission.not_graded)
    found = check(submission, weights()["hidden"]["seed"], isolated=isolated)
    parts = [_todo(number, found[number], submission) for number in all_todos()]
    parts += [_whole(found[0], submission), *_lessons(submission)]
    parts = [_without_mark(part, submission.ungraded) for part in parts]
    refusals = tuple(f"{what}: {why}" for what, why in submission.refusals.items())
    return Report(student, tuple(parts), submission.repairs, refusals, isolated, submission.late)


def _without_mark(part: Part, reasons: dict[str, str]) -> Part:
    """The part; without a mark if it needs a newer Python than this."""
    if part.name not in reasons:
        return part
    note = f"not graded: {reasons[part.name]}"
    return replace(part, points=0.0, note=note, outcomes=(), diagnosis=None, graded=False)


def _todo(number: int, found: Finding, submission: Submission) -> Part:
    name, out_of = f"TODO {number}", float(weights()["todo"][str(number)])
    note = submission.refusals.get(name, "")
    if not found.outcomes and not note:
        note = "still to be written" if number in submission.stubs else "nothing was found that can be run"
    points = round(out_of * _held(number, found), 2)
    return Part(name, points, out_of, note, submission.origins.get(number, ""), found.outcomes, found.diagnosis)


def _held(number: int, found: Finding) -> float:
    """The share of a TODO that is earned: by the tests that are about it. A test that only uses it costs as much."""
    if not found.outcomes:
        return 0.0
    about_it = sum(number in test.own for test in suite.public())
    failed = sum(not (outcome.earned or outcome.paid_by) for outcome in found.outcomes)
    return 1 - min(1.0, max(LEAST_LOST, failed / about_it)) if failed else 1.0


def _whole(found: Finding, submission: Submission) -> Part:
    out_of = float(weights()["whole"]["points"])
    earned = sum(1 if outcome.earned else KEPT if outcome.paid_by else 0 for outcome in found.outcomes)
    note = "" if submission.whole else "there is no engine that could be run"
    return Part("whole engine", _share(out_of, earned, len(found.outcomes)), out_of, note, "", found.outcomes)


def _lessons(submission: Submission) -> list[Part]:
    right, asked = right_answers(submission.answers)
    filled, there = sum(submission.predictions.values()), sum(boxes().values())
    made = []
    for name, got, total, what in (("questions", right, asked, "right"), ("predictions", filled, there, "filled in")):
        out_of = float(weights()["lessons"][name])
        made.append(Part(name, _share(out_of, got, total), out_of, f"{got} of {total} {what}"))
    return made


def _share(points: float, got: float, total: int) -> float:
    return round(points * got / total, 2) if total else 0.0
