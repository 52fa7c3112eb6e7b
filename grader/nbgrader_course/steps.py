"""nbgrader's steps on a course folder, in this process: each `nbgrader` command takes 4 to 5 seconds to start."""

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
    """A step could not be done. The message says what nbgrader said, for the instructor."""


@dataclass(frozen=True)
class Graded:
    """What came of one hand-in. `problem` is empty where nbgrader took it; else it has 0 points, for that reason."""

    student: str
    report: Report | None
    problem: str = ""


def config(course: Path) -> Config:
    """The settings in the course's nbgrader_config.py. Raises CourseError where there is none."""
    course = course.resolve()
    if not (course / "nbgrader_config.py").is_file():
        raise CourseError(f"{course} is no course folder: it has no nbgrader_config.py. Make one first.")
    if why := unusable(course):
        raise CourseError(why)
    return PyFileConfigLoader("nbgrader_config.py", path=str(course)).load_config()


def api(course: Path) -> Any:
    """nbgrader's own API for this course, in this process."""
    with _at_work():
        made = NbGraderAPI(config=config(course))
        made.log_level = "ERROR"
        made.gradebook.close()  # makes it, where there is none
    return made


@contextmanager
def _at_work() -> Iterator[None]:
    """nbgrader runs `alembic` for a new gradebook, finds it only if the environment is activated, and alembic reads its
    settings in the encoding of the locale, although paths are in them. The warnings are nothing for an instructor."""
    path = os.pathsep.join(filter(None, [str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
    with patch.dict(os.environ, PATH=path, LC_ALL="C.UTF-8"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def generate(course: Path) -> None:
    """Make release/ from source/: the assignment without its answers, and the gradebook's list of graded cells.

    Raises CourseError; what was released before is then still there.
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
    """Hand the assignment out: into the exchange folder, where students fetch it. Raises CourseError.

    again  make it from source/ once more, and put it in the place of what was handed out before
    """
    if again or not (course / "release" / ASSIGNMENT).is_dir():
        generate(course)
    nbgrader = api(course)
    nbgrader.config.ExchangeReleaseAssignment.force = again
    out = Path(nbgrader.config.Exchange.root, nbgrader.config.CourseDirectory.course_id, "outbound", ASSIGNMENT)
    if out.is_dir() and not again:
        raise CourseError(f"{out} is there: it was released before. To hand out what is in source/ now, add --again.")
    _do(nbgrader.release_assignment)


def collect(course: Path) -> tuple[str, ...]:
    """Take what was handed in through the exchange, the newest of each student. Returns all who have handed in.

    Raises CourseError.
    """
    _do(api(course).collect)
    return students(course)


def students(course: Path) -> tuple[str, ...]:
    """All whose hand-in is in the course folder, by name."""
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
    """Put the marks of all hand-ins (or of `only` these students) into nbgrader's gradebook and autograded/.

    grade  gives the report on a folder as it was handed in; `grader.marks.grade`, or one that looks up what is known
    show   run the notebooks in the sandbox, so that Formgrader shows what they print; it takes seconds each
    tell   is told of each one as it is done
    What goes wrong with one hand-in is said in its `problem`, and ends nothing. Raises CourseError for what is wrong
    with the course; what `grade` raises passes.
    """
    if not (course / "release" / ASSIGNMENT).is_dir():
        raise CourseError(
            "Nothing is released yet, so there is nothing to grade against. Generate the assignment first."
        )
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
        give_report(ASSIGNMENT, student, report)
        with _at_work():
            said = nbgrader.autograde(ASSIGNMENT, student)
        problem = "" if said["success"] else _last(said)
    except OSError as error:
        problem = f"its files cannot be put into the course folder: {error.strerror}"
    if problem:
        _zero(nbgrader, student, problem)
    return Graded(student, report, problem)


def _zero(nbgrader: Any, student: str, problem: str) -> None:
    """A hand-in that nbgrader could not take: it has 0 points, and the reason stands in its comments."""
    with _at_work(), nbgrader.gradebook as gradebook:
        gradebook.update_or_create_student(student)
        submission = gradebook.update_or_create_submission(ASSIGNMENT, student)
        for notebook in submission.notebooks:
            for grade in notebook.grades:
                grade.auto_score, grade.needs_manual_grade = 0.0, False
            for comment in notebook.comments:
                comment.auto_comment = f"This hand-in could not be graded: {problem}"
        gradebook.db.commit()


def feedback(course: Path, *, give: bool = False) -> list[Path]:
    """Write a feedback page for each notebook of each hand-in that was autograded. Returns the pages.

    give  put them into the exchange, too, where each student can fetch their own
    Raises CourseError.
    """
    nbgrader = api(course)
    _do(nbgrader.generate_feedback)
    if give:
        _do(nbgrader.release_feedback)
    return sorted((course / "feedback").glob(f"*/{ASSIGNMENT}/*.html"))


def export_gradebook(course: Path, to: Path) -> Path:
    """Write nbgrader's table of all marks, a person's included, as CSV. Returns `to`. Raises CourseError, OSError."""
    nbgrader = api(course)
    plugin = CsvExportPlugin(config=nbgrader.config, to=str(to))
    with _at_work(), nbgrader.gradebook as gradebook:
        plugin.export(gradebook)
    return to


def _do(step: Callable[[str], dict[str, Any]]) -> None:
    with _at_work():
        said = step(ASSIGNMENT)
    if not said["success"]:
        raise CourseError(_last(said))


def _last(said: dict[str, Any]) -> str:
    """nbgrader's own words for what went wrong: the last error that it logged, or that ended it."""
    lines: list[str] = said.get("log", "").splitlines() + said.get("error", "").splitlines()
    lines = [line.strip().removeprefix("[ERROR] ").removeprefix("[CRITICAL] ") for line in lines]
    errors = [line for line in lines if re.match(r"[\w.]+(Error|Exception|Exit|Interrupt|Entry): ", line)]
    told = [line for line in errors if "Please see the" not in line]
    return (told or errors or [line for line in lines if line] or ["nbgrader gives no reason"])[-1]
