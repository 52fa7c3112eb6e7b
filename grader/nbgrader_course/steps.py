"""The steps of nbgrader's cycle on a course folder, in this process: an `nbgrader` command takes seconds to start."""

from __future__ import annotations

import os
import re
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from nbgrader.apps import NbGraderAPI
from nbgrader.plugins import CsvExportPlugin
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from grader.errors import GraderError
from grader.nbgrader_course.names import ASSIGNMENT, STUDENT, unusable
from grader.nbgrader_course.prepare import give_report, original_of, prepare
from grader.report import Report


class CourseError(GraderError):
    """A step failed. The message is nbgrader's own, for the instructor."""


@dataclass(frozen=True)
class Graded:
    """The result for one submission. `problem` is empty if nbgrader took it; else it has 0 points, for that reason."""

    student: str
    report: Report | None
    problem: str = ""


def config(course: Path) -> Config:
    """Return the settings in the course's nbgrader_config.py. Raises CourseError if there is none."""
    course = course.resolve()
    if not (course / "nbgrader_config.py").is_file():
        raise CourseError(
            f"{course} is no course folder: it has no nbgrader_config.py. Make one first: `lab-grader course`."
        )
    if why := unusable(course):
        raise CourseError(why)
    return PyFileConfigLoader("nbgrader_config.py", path=str(course)).load_config()


def api(course: Path) -> Any:
    """Return nbgrader's own API for this course."""
    with _surroundings():
        made = NbGraderAPI(config=config(course))
        made.log_level = "ERROR"
        made.gradebook.close()  # creates it if needed
    return made


@contextmanager
def _surroundings() -> Iterator[None]:
    """Set what nbgrader needs. For a new gradebook it runs `alembic`, which it finds only in an activated environment,
    and which reads its settings, with paths in them, in the locale's encoding. Warnings do not concern instructors."""
    path = os.pathsep.join(filter(None, [str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
    with patch.dict(os.environ, PATH=path, LC_ALL="C.UTF-8"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def generate(course: Path) -> None:
    """Make release/ from source/: the assignment without its answers, and the gradebook's list of graded cells.

    Raises CourseError; the release that was there before is kept then.
    """
    release = course / "release" / ASSIGNMENT
    kept = course / "release" / f".{ASSIGNMENT}.kept"
    if release.is_dir() and not kept.exists():
        shutil.copytree(release, kept)  # nbgrader removes it before it knows whether it can make another
    try:
        _do(api(course).generate_assignment)
    finally:
        if kept.is_dir() and not release.is_dir():
            os.replace(kept, release)  # noqa: PTH105 - the name says what it does
        shutil.rmtree(kept, ignore_errors=True)


def release(course: Path, *, again: bool = False) -> None:
    """Put the assignment into the exchange, where students fetch it. Raises CourseError.

    again  generate it again from source/, and replace what was released before
    """
    if again or not (course / "release" / ASSIGNMENT).is_dir():
        generate(course)
    nbgrader = api(course)
    nbgrader.config.ExchangeReleaseAssignment.force = again
    out = Path(nbgrader.config.Exchange.root, nbgrader.config.CourseDirectory.course_id, "outbound", ASSIGNMENT)
    if out.is_dir() and not again:
        raise CourseError(
            f"{out} exists: the assignment was released before. To release what is in source/ now, add --again."
        )
    _do(nbgrader.release_assignment)


def collect(course: Path) -> tuple[str, ...]:
    """Take each student's latest submission from the exchange. Returns all students with a submission.

    Raises CourseError.
    """
    _do(api(course).collect)
    return students(course)


def students(course: Path) -> tuple[str, ...]:
    """Return the students with a submission in the course folder, by name."""
    found = {
        path.parent.name for step in ("submitted", "originals") for path in (course / step).glob(f"*/{ASSIGNMENT}")
    }
    return tuple(sorted(found, key=os.fsencode))


def autograde(
    course: Path,
    grade: Callable[[Path, str], Report],
    only: Sequence[str] | None = None,
    *,
    show: bool = False,
    tell: Callable[[Graded], None] = lambda graded: None,
) -> list[Graded]:
    """Put the marks of all submissions (or of `only` these students) into nbgrader's gradebook and autograded/.

    grade  returns the report on a folder as it was handed in: `grader.marks.grade`, or a look-up
    show   run the notebooks in the sandbox, so that Formgrader shows their output; it takes seconds each
    tell   is called for each submission when it is done
    A problem with one submission is in its result, and the others go on. Raises CourseError for problems of the course,
    and what `grade` raises.
    """
    if not (course / "release" / ASSIGNMENT).is_dir():
        raise CourseError("There is no release/ to grade against. Release the assignment first: `lab-grader release`.")
    nbgrader = api(course)
    nbgrader.config.RunForShow.enabled = show
    done = []
    for student in students(course) if only is None else only:
        graded = _autograde(nbgrader, course.resolve(), student, grade)
        done.append(graded)
        tell(graded)
    return done


def _autograde(nbgrader: Any, course: Path, student: str, grade: Callable[[Path, str], Report]) -> Graded:
    if not STUDENT.fullmatch(student):
        return Graded(student, None, "nbgrader cannot take a folder of this name; rename it")
    report = grade(original_of(course, student, ASSIGNMENT), student)
    try:
        prepare(course, student, ASSIGNMENT)
        give_report(course, student, ASSIGNMENT, report)
        with _surroundings():
            said = nbgrader.autograde(ASSIGNMENT, student)
        problem = "" if said["success"] else _last(said)
    except OSError as error:
        problem = f"its files cannot be put into the course folder: {error.strerror}"
    if problem:
        _zero(nbgrader, student, problem)
    return Graded(student, report, problem)


def _zero(nbgrader: Any, student: str, problem: str) -> None:
    """Give a submission that nbgrader could not take 0 points, with the reason in its comments."""
    with _surroundings(), nbgrader.gradebook as gradebook:
        gradebook.update_or_create_student(student)
        submission = gradebook.update_or_create_submission(ASSIGNMENT, student)
        for notebook in submission.notebooks:
            for grade in notebook.grades:
                grade.auto_score, grade.needs_manual_grade = 0.0, False
            for comment in notebook.comments:
                comment.auto_comment = f"This submission could not be graded: {problem}"
        gradebook.db.commit()


def feedback(course: Path, *, give: bool = False) -> list[Path]:
    """Write a feedback page for each notebook of each autograded submission. Returns the pages.

    give  put them into the exchange, too, where students can fetch their own
    Raises CourseError.
    """
    nbgrader = api(course)
    _do(nbgrader.generate_feedback)
    if give:
        _do(nbgrader.release_feedback)
    return sorted((course / "feedback").glob(f"*/{ASSIGNMENT}/*.html"))


def export_gradebook(course: Path, to: Path) -> Path:
    """Write all marks, with those given by hand, as nbgrader's CSV table. Returns `to`. Raises CourseError, OSError."""
    nbgrader = api(course)
    plugin = CsvExportPlugin(config=nbgrader.config, to=str(to))
    with _surroundings(), nbgrader.gradebook as gradebook:
        plugin.export(gradebook)
    return to


def _do(step: Callable[[str], dict[str, Any]]) -> None:
    with _surroundings():
        said = step(ASSIGNMENT)
    if not said["success"]:
        raise CourseError(_last(said))


def _last(said: dict[str, Any]) -> str:
    """Return the last error that nbgrader logged, or that stopped it."""
    lines: list[str] = said.get("log", "").splitlines() + said.get("error", "").splitlines()
    lines = [line.strip().removeprefix("[ERROR] ").removeprefix("[CRITICAL] ") for line in lines]
    errors = [line for line in lines if re.match(r"[\w.]+(Error|Exception|Exit|Interrupt|Entry): ", line)]
    told = [line for line in errors if "Please see the" not in line]
    return (told or errors or [line for line in lines if line] or ["nbgrader gives no reason"])[-1]
