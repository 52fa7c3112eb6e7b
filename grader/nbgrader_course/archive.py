"""Collect submissions that did not come through the exchange: an archive of Moodle or Canvas, or a folder."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from grader.handin import unpack
from grader.nbgrader_course.names import ASSIGNMENT, STUDENT
from grader.nbgrader_course.prepare import place


@dataclass(frozen=True)
class Collection:
    """The students in the course folder now, by nbgrader's id; and a sentence for each file that was left out."""

    students: tuple[str, ...]
    left_out: tuple[str, ...]


def collect_archive(course: Path, archive: Path) -> Collection:
    """Put each student's work from `archive` into the course folder. It replaces earlier submissions.

    What is the same as before stays as it is. Raises `grader.handin.archive.ArchiveError`, OSError.
    """
    course = course.resolve()
    with tempfile.TemporaryDirectory(dir=course, prefix=".unpacked-") as folder:
        found = unpack(archive, Path(folder, "students"))
        students = [_id(one.folder.name) for one in found]
        for one, student in zip(found, students, strict=True):
            place(course, student, ASSIGNMENT, one.folder)
        left_out = [*found.refusals, *(f"{one.student}: {text}" for one in found for text in one.refusals)]
        left_out += [*found.passed_over, *(f"{one.student}: {text}" for one in found for text in one.passed_over)]
        left_out += [f"{one.student}: only {one.only} was handed in, and no file." for one in found if one.only]
    return Collection(tuple(sorted(students)), tuple(left_out))


def _id(name: str) -> str:
    """A name that nbgrader's paths and pages allow. Two names never become one."""
    if STUDENT.fullmatch(name):
        return name
    plain = re.sub(r"[^\w.@-]", "_", name).strip("_.-")[:80] or "student"
    return f"{plain}-{hashlib.sha256(os.fsencode(name)).hexdigest()[:6]}"
