"""Grading a class as a durable workflow on this lab's own engine: kill it at any moment, start it again, it goes on.

There are two levels of runs in one store, because a workflow takes one step after the other and a machine has cores:

    class 1                                            ana@3f2a9c81d0b4
    0  activity  graded("ana@3f2a9c81d0b4")  ok    <-  0  activity  grade("ana", "3f2a9c...")  ok  {the report}
    1  activity  graded("bo@77e01c22aa90")   ok    <-  0  activity  grade("bo", "77e01c...")   ok  {the report}
    2  activity  graded("cy@0c55d6f1b2e7")   waits     (at work in another process)

Each submission is a run of its own with one activity, `grade`, whose value is the report. Worker processes take these
runs in any order (`pool.py`, `worker.py`). The class is their parent: its activity `graded` waits until one has ended.

What the rules of the lab make of this:

- R1, R2: what is recorded is never graded again. Only what was in flight at a kill runs again (R11: at least once); it
  leaves nothing behind in the world, and the same files get the same marks, so once more does no harm.
- A child's id is its idempotency key: however often the parent asks for it, one history answers.
- R14: the id holds a digest of the files and of the settings. A student who hands in something else, or an instructor
  who changes the rubric, makes another run; the old one stays, as a record of what was marked then.
- R6: a failure is an outcome, so an error of *our* code is recorded, too. Trying once more is a new attempt, `...#2`;
  `grade` makes one for each that failed, and for those named with `--again`.
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
from grader.classrun.submissions import HandIn
from grader.errors import GraderError

ENGINE = Study("solution", ROOT)  # whatever LAB_MODULE says: a student's engine does not run its own grading
SUBMISSION, CLASS = "grade_submission", "grade_class"
Activity = Callable[..., Any]


def grade_submission(grade: Activity) -> Activity:
    """The workflow of one submission. `grade(student, digest)` returns a report as JSON."""

    def workflow(ctx: Any, hand_in: dict[str, Any]) -> Any:
        return ctx.call_activity(grade, hand_in["student"], hand_in["digest"])

    return workflow


def grade_class(graded: Activity) -> Activity:
    """The workflow of a class. `graded(run)` returns how that run ended, once it has."""

    def workflow(ctx: Any, roll: dict[str, Any]) -> Any:
        return [ctx.call_activity(graded, run) for run in roll["runs"]]

    return workflow


@dataclass(frozen=True)
class Child:
    """The run of one submission. `ended`: it need not be worked on."""

    run: str
    hand_in: HandIn
    ended: bool


def plan(
    store: SQLiteStore, hand_ins: Sequence[HandIn], settings: Mapping[str, Any], again: Sequence[str] = ()
) -> list[Child]:
    """The run of each submission, started if it is new. Those of the students named in `again` are run again.

    Raises GraderError if no student has a name in `again`.
    """
    for name in again:
        if not any(hand_in.student == name for hand_in in hand_ins):
            names = ", ".join(hand_in.student for hand_in in hand_ins[:8]) + (", ..." if len(hand_ins) > 8 else "")
            raise GraderError(f"--again {name}: no student has this name. There are {names}. --again-all is for all.")
    known = {run.workflow_id: run.status for run in store.runs()}
    return [_child(store, known, hand_in, settings, hand_in.student in again) for hand_in in hand_ins]


def _child(
    store: SQLiteStore, known: Mapping[str, str], hand_in: HandIn, settings: Mapping[str, Any], again: bool
) -> Child:
    """The latest attempt at these files; a new one where that failed, or where it is asked for."""
    words = json.dumps([hand_in.digest, settings], sort_keys=True)
    name = f"{hand_in.student}@{hashlib.sha256(words.encode()).hexdigest()[:12]}"
    attempt = 1
    while _named(name, attempt + 1) in known:
        attempt += 1
    status = known.get(_named(name, attempt))
    if status == "failed" or (status == "completed" and again):
        attempt, status = attempt + 1, None
    run = _named(name, attempt)
    if status is None:  # on the disk before anybody works: after a kill it is known what was wanted
        store.start(run, SUBMISSION, {"student": hand_in.student, "digest": hand_in.digest, "settings": dict(settings)})
    return Child(run, hand_in, status == "completed")


def _named(name: str, attempt: int) -> str:
    return name if attempt == 1 else f"{name}#{attempt}"


def class_run(store: SQLiteStore, children: Sequence[Child], left_out: Sequence[str]) -> str:
    """The id of the class's run: the latest one where it has just these children, else a new one, which is started."""
    given = {"runs": [child.run for child in children], "left_out": list(left_out)}
    latest = latest_class(store)
    if latest and store.run(latest).input == given:
        return latest
    number = int(latest.split()[1]) + 1 if latest else 1
    store.start(f"class {number}", CLASS, given)
    return f"class {number}"


def latest_class(store: SQLiteStore) -> str | None:
    """The id of the class's latest run; None where no class was graded."""
    found = [run.workflow_id for run in store.runs() if run.workflow == CLASS]
    found = [name for name in found if re.fullmatch(r"class \d+", name)]
    return max(found, key=lambda name: int(name.split()[1]), default=None)
