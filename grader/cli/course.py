"""An nbgrader course: make it, release, collect, autograde, feedback. Formgrader shows the same marks."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from grader.classrun.grading import GradeOptions, cores
from grader.classrun.pool import SECONDS
from grader.classrun.submissions import Found, SubmissionFolder, digest
from grader.cli.grade import isolated, mark
from grader.cli.options import Again, AgainAll, Counts, Course, Jobs, NotIsolated, Out, Seconds, Setup
from grader.display import count, line, pasted
from grader.errors import GraderError
from grader.exports.table import cell, csv_text


@contextmanager
def _nbgrader() -> Iterator[None]:
    """Import nbgrader for one command, without its warnings; other commands do not wait for it."""
    try:
        from grader.nbgrader_course import steps  # noqa: F401
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] in ("grader", "durable_lab"):
            raise
        raise GraderError(f"A course needs nbgrader, and {error.name} is not installed. Run `make lab`.") from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of nbgrader's libraries mean nothing to an instructor
        yield


def course(
    context: typer.Context,
    course: Course,
    name: Annotated[str, typer.Option(metavar="NAME", help="nbgrader's course id")] = "durable",
    exchange: Annotated[
        Path | None, typer.Option(metavar="DIR", help="the folder that students and instructors share")
    ] = None,
) -> int:
    """nbgrader: make a course folder with this lab in it, or update it."""
    with _nbgrader():
        from grader.nbgrader_course.make import make_course

        made = make_course(course, name, exchange=exchange)
    context.obj.say(f"course  {made}", f"next    lab-grader release {pasted(course)}")
    return 0


def release(
    context: typer.Context,
    course: Course,
    again: Annotated[
        bool,
        typer.Option("--again", help="make it from source/ again, in place of what students can fetch now"),
    ] = False,
) -> int:
    """nbgrader: make the students' version, and hand it out."""
    with _nbgrader():
        from grader.nbgrader_course import steps

        steps.release(course, again=again)
    context.obj.say("released: students can fetch it", f"next    lab-grader collect {pasted(course)}")
    return 0


def collect(
    context: typer.Context,
    course: Course,
    archive: Annotated[
        Path | None,
        typer.Argument(
            metavar="ARCHIVE",
            help="a zip or tar from Moodle or Canvas, or a folder; without one, what came through the exchange",
        ),
    ] = None,
) -> int:
    """nbgrader: take what was handed in."""
    with _nbgrader():
        from grader.nbgrader_course import steps
        from grader.nbgrader_course.archive import collect_archive

        steps.config(course)  # raises CourseError if it is no course
        if archive:
            found = collect_archive(course, archive)
            context.obj.say(*(f"left out  {line(sentence)}" for sentence in found.left_out))
        students = found.students if archive else steps.collect(course)
    context.obj.say(
        f"{count(len(students), 'hand-in')} in the course", f"next    lab-grader autograde {pasted(course)}"
    )
    return 0


def autograde(
    context: typer.Context,
    course: Course,
    show: Annotated[
        bool, typer.Option("--show", help="run the notebooks in the sandbox, too, to see their output")
    ] = False,
    out: Out = None,
    jobs: Jobs = None,
    again: Again = None,
    again_all: AgainAll = False,
    seconds: Seconds = SECONDS,
    source: Counts = "notebooks",
    not_isolated: NotIsolated = False,
) -> int:
    """nbgrader: grade the course's hand-ins, marks into its gradebook.

    Grades as `grade` does. Without --out, marks and reports go to `grades` in the course.
    """
    setup: Setup = context.obj
    with _nbgrader():
        from grader.nbgrader_course import steps

        steps.config(course)  # raises CourseError if it is no course
        options = GradeOptions(
            course,
            out or course / "grades",
            setup.grade,
            isolated=isolated(not_isolated),
            source=source,
            jobs=jobs or cores(),
            again=again or (),
            again_all=again_all,
            seconds=seconds,
        )
        book = mark(setup, options, _hand_ins)
        known = {report.student: report for report in book.final}
        setup.say(f"putting {count(len(known), 'report')} into the gradebook")

        def tell(one: steps.Graded) -> None:
            if one.problem:
                setup.say(f"{line(one.student)}: nbgrader does not take it: {line(one.problem)}")

        done = steps.autograde(course, lambda folder, student: known[student], list(known), show=show, tell=tell)
    setup.say(f"next    lab-grader feedback {pasted(course)}")
    return 1 if book.missing or book.unfinished or any(one.problem for one in done) else 0


def _hand_ins(folder: Path) -> Found:
    """The students who have handed in, from the course's own folders, under the names that nbgrader knows."""
    from grader.nbgrader_course import steps
    from grader.nbgrader_course.names import ASSIGNMENT
    from grader.nbgrader_course.prepare import original_of

    found = [(name, original_of(folder, name, ASSIGNMENT)) for name in steps.students(folder)]
    if not found:
        raise GraderError(f"{folder}: no student has handed in {ASSIGNMENT} yet. Collect it, or unpack an archive.")
    return [SubmissionFolder(name, path, digest(path)) for name, path in found], []


def feedback(
    context: typer.Context,
    course: Course,
    give: Annotated[bool, typer.Option("--give", help="hand them out, each to its student")] = False,
) -> int:
    """nbgrader: write the feedback pages."""
    with _nbgrader():
        from grader.nbgrader_course import steps

        pages = steps.feedback(course, give=give)
    where = "students can fetch them" if give else f"in {course / 'feedback'}; --give hands them out"
    context.obj.say(f"{count(len(pages), 'page')}: {where}")
    return 0


def export_gradebook(course: Path, to: Path) -> Path:
    """Write nbgrader's own table, manual marks included. Returns its path."""
    with _nbgrader():
        from grader.nbgrader_course import steps

        to.parent.mkdir(parents=True, exist_ok=True)
        written = steps.export_gradebook(course, to)
    with written.open(encoding="utf-8", newline="") as file:  # nbgrader quotes nothing
        rows = [[cell(text) for text in row] for row in csv.reader(file)]
    written.write_text(csv_text(rows), encoding="utf-8", newline="")
    return written
