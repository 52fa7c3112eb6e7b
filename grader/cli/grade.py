"""`grade` and `one`: grade a class, or one submission."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from durable_lab.cli.output import styled
from grader.book import Book
from grader.classrun.grading import GradeOptions, cores, grade_all
from grader.classrun.pool import SECONDS
from grader.classrun.submissions import Found, submission_folders
from grader.cli.live import Shown
from grader.cli.options import ALLOW, Again, AgainAll, Counts, Jobs, NotIsolated, Out, Seconds, Setup
from grader.cli.show import write
from grader.display import line
from grader.errors import GraderError
from grader.pages.part import NOT_ISOLATED
from grader.pages.student_page import student_text
from grader.report import NotGraded
from grader.sandbox import bubblewrap


def grade(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="has one sub-folder for each student")],
    out: Out = None,
    jobs: Jobs = None,
    again: Again = None,
    again_all: AgainAll = False,
    seconds: Seconds = SECONDS,
    source: Counts = "notebooks",
    not_isolated: NotIsolated = False,
) -> int:
    """Grade a class, or what is left of it.

    Without --out, marks and reports go to `grades` beside FOLDER. The exit code is 1 if a submission has no mark.
    """
    where = out or folder.absolute().parent / "grades"
    options = GradeOptions(
        folder,
        where,
        context.obj.grade,
        isolated=isolated(not_isolated),
        source=source,
        jobs=jobs or cores(),
        again=again or (),
        again_all=again_all,
        seconds=seconds,
    )
    book = mark(context.obj, options)
    return 1 if book.missing or book.unfinished else 0


def mark(setup: Setup, options: GradeOptions, find: Callable[[Path], Found] = submission_folders) -> Book:
    """Grade a class, write the reports, and sum up."""
    if not options.isolated:
        styled(setup.console, (NOT_ISOLATED, "bold"))
    with Shown(setup.console, options.jobs) as progress:
        book = grade_all(options, progress, find)
    write(setup, book, options.out)
    return book


def isolated(allowed: bool) -> bool:
    """Whether students' code runs in a sandbox. Raises GraderError if it would run unprotected without permission."""
    why = bubblewrap.missing()
    if why and not allowed:
        raise GraderError(
            f"Students' code is not graded without a sandbox, and there is none: {why}. "
            f"If you know whose code it is, {ALLOW} grades it all the same; every report will say so."
        )
    return not why


def one(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="has one submission")],
    gradescope: Annotated[
        Path | None, typer.Option(metavar="FILE", help="write Gradescope's results.json there, too")
    ] = None,
    source: Counts = "notebooks",
    not_isolated: NotIsolated = False,
) -> int:
    """Grade one submission here and now; nothing is recorded.

    To try something out, or as an autograder of Gradescope.
    """
    from grader.classrun.worker import named
    from grader.exports.gradescope import results_json

    if not folder.is_dir():
        raise GraderError(f"{folder} is no folder. Name the folder with one submission in it.")
    setup: Setup = context.obj
    student, alone = line(folder.resolve().name), isolated(not_isolated)
    try:
        made = named(setup.grade)(folder, student, isolated=alone, source=source)
    except NotGraded as why:
        setup.say(f"{student}: not graded. {line(str(why), 600)}")
        return 1
    if gradescope:
        gradescope.write_text(results_json(made), encoding="utf-8")
    setup.say(student_text(made).removesuffix("\n"))
    return 0
