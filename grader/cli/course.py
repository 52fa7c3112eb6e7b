"""An nbgrader course: make it, hand out, collect, mark, give back. Formgrader shows the same marks in JupyterLab."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from grader.classrun.submissions import HandIn, Roll, digest
from grader.cli import grade
from grader.display import count, line, pasted
from grader.errors import GraderError
from grader.exports.table import cell, csv_text

if TYPE_CHECKING:
    from grader.nbgrader_course.steps import Graded


@contextmanager
def _nbgrader() -> Iterator[None]:
    """A place to import the steps of a course, only when they are asked for: nbgrader takes seconds to start."""
    try:
        from grader.nbgrader_course import steps
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] in ("grader", "durable_lab"):
            raise
        raise GraderError(f"A course needs nbgrader, and {error.name} is not installed. Run `make lab`.") from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nbgrader's own, of its libraries: they say nothing to an instructor
            yield
    except steps.CourseError as error:
        raise GraderError(str(error)) from None


@dataclass(frozen=True)
class Course:
    course: Path
    name: str
    exchange: Path | None


@dataclass(frozen=True)
class Release:
    course: Path
    again: bool


@dataclass(frozen=True)
class Collect:
    course: Path
    archive: Path | None


@dataclass(frozen=True)
class Autograde(grade.HowToGrade):
    course: Path
    show: bool


@dataclass(frozen=True)
class Feedback:
    course: Path
    give: bool


def course(console: Console, given: Course) -> int:
    """Make a course folder, or bring one up to date."""
    with _nbgrader():
        from grader.nbgrader_course.make import make_course

        try:
            made = make_course(given.course, given.name, exchange=given.exchange)
        except ValueError as error:
            raise GraderError(str(error)) from None
    return _say(console, f"course  {made}", f"next    lab-grader release {pasted(given.course)}")


def release(console: Console, given: Release) -> int:
    """Make the students' version, and hand it out."""
    with _nbgrader():
        from grader.nbgrader_course import steps

        steps.release(given.course, again=given.again)
    return _say(console, "released: students can fetch it", f"next    lab-grader collect {pasted(given.course)}")


def collect(console: Console, given: Collect) -> int:
    """Take what was handed in: through the exchange, or in an archive."""
    with _nbgrader():
        from grader.nbgrader_course import steps

        steps.config(given.course)  # says so if it is no course
        names = _from_archive(console, given.course, given.archive) if given.archive else steps.collect(given.course)
    return _say(
        console, f"{count(len(names), 'hand-in')} in the course", f"next    lab-grader autograde {pasted(given.course)}"
    )


def _from_archive(console: Console, course: Path, archive: Path) -> tuple[str, ...]:
    from grader.handin.archive import ArchiveError
    from grader.nbgrader_course.archive import collect_archive

    try:
        found = collect_archive(course, archive)
    except ArchiveError as error:
        raise GraderError(str(error)) from None
    _say(console, *(f"left out  {line(sentence)}" for sentence in found.left_out))
    return found.students


def autograde(console: Console, given: Autograde) -> int:
    """Grade the class as `grade` does, then put the marks into nbgrader's gradebook."""
    with _nbgrader():
        from grader.nbgrader_course import steps

        steps.config(given.course)  # says so if it is no course
        book = grade.mark(console, given, given.course, given.out or given.course / "grades", _hand_ins)
        known = {report.student: report for report in book.final}
        console.print(f"putting {count(len(known), 'report')} into the gradebook", soft_wrap=True)
        done = steps.autograde(
            given.course, lambda folder, student: known[student], list(known), show=given.show, tell=_tell(console)
        )
    _say(console, f"next    lab-grader feedback {pasted(given.course)}")
    return 1 if book.missing or book.unfinished or any(one.problem for one in done) else 0


def _hand_ins(folder: Path) -> Roll:
    """Who has handed in, from the course's own folders, under the name that nbgrader knows."""
    from grader.nbgrader_course import steps
    from grader.nbgrader_course.names import ASSIGNMENT
    from grader.nbgrader_course.prepare import original_of

    found = [(name, original_of(folder, name, ASSIGNMENT)) for name in steps.students(folder)]
    if not found:
        raise GraderError(f"{folder}: no student has handed in {ASSIGNMENT} yet. Collect it, or unpack an archive.")
    return [HandIn(name, path, digest(path)) for name, path in found], []


def _tell(console: Console) -> Callable[[Graded], None]:
    def tell(one: Graded) -> None:
        if one.problem:
            console.print(
                escape(f"{line(one.student)}: nbgrader does not take it: {line(one.problem)}"), soft_wrap=True
            )

    return tell


def feedback(console: Console, given: Feedback) -> int:
    """Write the feedback pages of a course."""
    with _nbgrader():
        from grader.nbgrader_course import steps

        pages = steps.feedback(given.course, give=given.give)
    where = "students can fetch them" if given.give else f"in {given.course / 'feedback'}; --give hands them out"
    return _say(console, f"{count(len(pages), 'page')}: {where}")


def export_gradebook(course: Path, to: Path) -> Path:
    """nbgrader's own table, manual marks included."""
    with _nbgrader():
        from grader.nbgrader_course import steps

        to.parent.mkdir(parents=True, exist_ok=True)
        written = steps.export_gradebook(course, to)
    with written.open(encoding="utf-8", newline="") as file:  # nbgrader quotes nothing
        rows = [[cell(text) for text in row] for row in csv.reader(file)]
    written.write_text(csv_text(rows), encoding="utf-8", newline="")
    return written


def _say(console: Console, *lines: str) -> int:
    for words in lines:
        console.print(escape(words), soft_wrap=True)
    return 0


def add_commands(commands: Any) -> None:
    """The parsers of these commands."""
    made = commands.add_parser("course", help="nbgrader: make a course folder with this lab in it")
    made.add_argument("course", type=Path, metavar="COURSE")
    made.add_argument("--name", default="durable", help="nbgrader's course id (default: %(default)s)")
    made.add_argument("--exchange", type=Path, help="the folder that students and instructors share")
    given_out = commands.add_parser("release", help="nbgrader: make the students' version, and hand it out")
    given_out.add_argument("course", type=Path, metavar="COURSE")
    given_out.add_argument(
        "--again", action="store_true", help="make it from source/ once more, in place of what students can fetch now"
    )
    taken = commands.add_parser("collect", help="nbgrader: take what was handed in")
    taken.add_argument("course", type=Path, metavar="COURSE")
    archive = "a zip or tar from Moodle or Canvas, or a folder; without one, what came through the exchange"
    taken.add_argument("archive", type=Path, nargs="?", metavar="ARCHIVE", help=archive)
    marked = commands.add_parser("autograde", help="nbgrader: grade the course's hand-ins, marks into its gradebook")
    marked.add_argument("course", type=Path, metavar="COURSE")
    marked.add_argument(
        "--show", action="store_true", help="run the notebooks in the sandbox, too, to see their output"
    )
    grade.how_to_grade(marked, "COURSE/grades")
    back = commands.add_parser("feedback", help="nbgrader: write the feedback pages")
    back.add_argument("course", type=Path, metavar="COURSE")
    back.add_argument("--give", action="store_true", help="hand them out, each to its student")
