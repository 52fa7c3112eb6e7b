"""An nbgrader course: make it, hand out, collect, mark, give back. Formgrader shows the same marks in JupyterLab."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from grader.cli import grade
from grader.klass.errors import GraderError
from grader.klass.plain import count, line
from grader.klass.roll import HandIn, Roll, digest


@contextmanager
def _nbgrader() -> Iterator[Any]:
    """The steps of a course; loaded only where they are asked for, because nbgrader takes seconds to start."""
    try:
        from grader.course import steps
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] in ("grader", "durable_lab"):
            raise
        raise GraderError(f"A course needs nbgrader, and {error.name} is not installed. Run `make lab`.") from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nbgrader's own, of its libraries: they say nothing to an instructor
            yield steps
    except steps.CourseError as error:
        raise GraderError(str(error)) from None


def course(console: Console, given: argparse.Namespace) -> int:
    """Make a course folder, or bring one up to date."""
    with _nbgrader():
        from grader.course.make import make_course

        made = make_course(given.course, given.name, exchange=given.exchange)
    return _say(console, f"course  {made}", f"next    lab-grader release {given.course}")


def release(console: Console, given: argparse.Namespace) -> int:
    """Make the students' version, and hand it out."""
    with _nbgrader() as steps:
        if given.again:
            steps.generate(given.course)
        steps.release(given.course)
    return _say(console, "released: students can fetch it", f"next    lab-grader collect {given.course}")


def collect(console: Console, given: argparse.Namespace) -> int:
    """Take what was handed in: through the exchange, or in an archive."""
    with _nbgrader() as steps:
        names = _from_archive(console, steps, given) if given.archive else steps.collect(given.course)
    return _say(
        console, f"{count(len(names), 'hand-in')} in the course", f"next    lab-grader autograde {given.course}"
    )


def _from_archive(console: Console, steps: Any, given: argparse.Namespace) -> tuple[str, ...]:
    from grader.course.archive import collect_archive
    from grader.submission.archive import ArchiveError

    steps.config(given.course)  # says so if it is no course
    try:
        found = collect_archive(given.course, given.archive)
    except ArchiveError as error:
        raise GraderError(str(error)) from None
    _say(console, *(f"left out  {line(sentence)}" for sentence in found.left_out))
    return found.students


def autograde(console: Console, given: argparse.Namespace) -> int:
    """Grade the class as `grade` does, then put the marks into nbgrader's gradebook."""
    given.folder, given.out = given.course, given.out or given.course / "grades"
    with _nbgrader() as steps:
        steps.config(given.course)  # says so if it is no course
        book = grade.mark(console, given, find=_hand_ins(steps))
        known = {report.student: report for report in book.reports}
        console.print(f"putting {count(len(known), 'report')} into the gradebook", soft_wrap=True)
        done = steps.autograde(
            given.course, lambda folder, student: known[student], list(known), show=given.show, tell=_tell(console)
        )
    _say(console, f"next    lab-grader feedback {given.course}")
    return 1 if book.missing or any(one.problem for one in done) else 0


def _hand_ins(steps: Any) -> Any:
    """Who has handed in, from the course's own folders, under the name that nbgrader knows."""

    def find(folder: Path) -> Roll:
        from grader.course.names import ASSIGNMENT
        from grader.course.prepare import original_of

        found = [(name, original_of(folder, name, ASSIGNMENT)) for name in steps.students(folder)]
        if not found:
            raise GraderError(f"{folder}: nobody has handed in {ASSIGNMENT} yet. Collect it, or unpack an archive.")
        return [HandIn(name, path, digest(path)) for name, path in found], []

    return find


def _tell(console: Console) -> Any:
    def tell(one: Any) -> None:
        if one.problem:
            console.print(
                escape(f"{line(one.student)}: nbgrader does not take it: {line(one.problem)}"), soft_wrap=True
            )

    return tell


def feedback(console: Console, given: argparse.Namespace) -> int:
    """Write the feedback pages of a course."""
    with _nbgrader() as steps:
        pages = steps.feedback(given.course, give=given.give)
    where = "students can fetch them" if given.give else f"in {given.course / 'feedback'}; --give hands them out"
    return _say(console, f"{count(len(pages), 'page')}: {where}")


def export_gradebook(course: Path, to: Path) -> Path:
    """nbgrader's own table, manual marks included."""
    with _nbgrader() as steps:
        to.parent.mkdir(parents=True, exist_ok=True)
        written: Path = steps.export_gradebook(course, to)
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
    given_out.add_argument("--again", action="store_true", help="make it anew")
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
