"""Grading a class as a durable workflow on this lab's own engine: kill it at any moment, start it again, it goes on.

There are two levels of runs in one store, because a workflow takes one step after the other and a machine has cores:

    class 1                                            ana@3f2a9c81d0b4
    0  activity  graded("ana@3f2a9c81d0b4")  ok    <-  0  activity  grade("ana", "3f2a9c...")  ok  {the report}
    1  activity  graded("bo@77e01c22aa90")   ok    <-  0  activity  grade("bo", "77e01c...")   ok  {the report}
    2  activity  graded("cy@0c55d6f1b2e7")   waits     (running in another process)

Each submission is a run of its own with one activity, `grade`, whose value is the report. Worker processes take these
runs in any order (`pool.py`, `worker.py`). The class is their parent: its activity `graded` waits until one has ended.

How the rules of the lab apply:

- R1, R2: a recorded mark is never computed again. Only what was in flight at a kill runs again (R11: at least once),
  which does no harm: it changes nothing outside, and the same files get the same marks.
- A child's id is its idempotency key: however often the parent asks for it, one history answers.
- R14: the id holds a digest of the files and of the settings. If a student hands in other files, or the instructor
  changes the rubric, that is another run; the old one stays, as a record of what was marked then.
- R6: a failure is an outcome, so an error of the grader itself is recorded, too. Trying again is a new attempt,
  `...#2`; `grade` makes one for each run that failed, and for the students named with `--again`.
- Reports and exports are not recorded. They are made from the histories, and can be made again at any time.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from durable_lab.stores import SQLiteStore
from durable_lab.study import ROOT, Study
from grader.classrun.submissions import SubmissionFolder
from grader.errors import GraderError

ENGINE = Study("solution", ROOT)  # not the one that LAB_MODULE names: no student's engine runs its own grading
SUBMISSION, CLASS = "grade_submission", "grade_class"
Activity = Callable[..., Any]


def grade_submission(grade: Activity) -> Activity:
    """The workflow of one submission. `grade(student, digest)` returns a report as JSON."""

    def workflow(ctx: Any, submission: dict[str, Any]) -> Any:
        return ctx.call_activity(grade, submission["student"], submission["digest"])

    return workflow


def grade_class(graded: Activity) -> Activity:
    """The workflow of a class. `graded(run)` waits until that run has ended and returns its outcome."""

    def workflow(ctx: Any, given: dict[str, Any]) -> Any:
        return [ctx.call_activity(graded, run) for run in given["runs"]]

    return workflow


@dataclass(frozen=True)
class Child:
    """The run of one submission. `ended`: its mark is recorded."""

    run: str
    submission: SubmissionFolder
    ended: bool


def plan(
    store: SQLiteStore, submissions: Sequence[SubmissionFolder], settings: Mapping[str, Any], again: Sequence[str] = ()
) -> list[Child]:
    """Return the run of each submission, started if it is new. Those of the students in `again` are run again.

    Raises GraderError if no student has a name in `again`.
    """
    students = [one.student for one in submissions]
    for name in again:
        if name not in students:
            some = ", ".join(students[:8]) + (", ..." if len(students) > 8 else "")
            raise GraderError(f"--again {name}: no student has this name. There are {some}. --again-all is for all.")
    known = {run.workflow_id: run.status for run in store.runs()}
    return [_child(store, known, one, settings, one.student in again) for one in submissions]


def _child(
    store: SQLiteStore, known: Mapping[str, str], submission: SubmissionFolder, settings: Mapping[str, Any], again: bool
) -> Child:
    """Return the latest attempt at these files; a new one if that failed, or if it is asked for."""
    words = json.dumps([submission.digest, settings], sort_keys=True)
    name = f"{submission.student}@{hashlib.sha256(words.encode()).hexdigest()[:12]}"
    attempt = 1
    while _named(name, attempt + 1) in known:
        attempt += 1
    status = known.get(_named(name, attempt))
    if status == "failed" or (status == "completed" and again):
        attempt, status = attempt + 1, None
    run = _named(name, attempt)
    if status is None:  # on the disk before any worker starts: after a kill the store knows what was wanted
        given = {"student": submission.student, "digest": submission.digest, "settings": dict(settings)}
        store.start(run, SUBMISSION, given)
    return Child(run, submission, status == "completed")


def _named(name: str, attempt: int) -> str:
    return name if attempt == 1 else f"{name}#{attempt}"


def class_run(store: SQLiteStore, children: Sequence[Child], left_out: Sequence[str]) -> str:
    """Return the id of the class's run: the latest one if it has exactly these children, else a new one."""
    given = {"runs": [child.run for child in children], "left_out": list(left_out)}
    latest = latest_class(store)
    if latest and store.run(latest).input == given:
        return latest
    number = int(latest.split()[1]) + 1 if latest else 1
    store.start(f"class {number}", CLASS, given)
    return f"class {number}"


def latest_class(store: SQLiteStore) -> str | None:
    """Return the id of the class's latest run; None if no class was graded."""
    found = [run.workflow_id for run in store.runs() if run.workflow == CLASS]
    found = [name for name in found if re.fullmatch(r"class \d+", name)]
    return max(found, key=lambda name: int(name.split()[1]), default=None)
