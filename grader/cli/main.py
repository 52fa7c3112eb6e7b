"""The commands of `lab-grader`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import typer

from durable_lab.cli.command_line import CommandLine
from durable_lab.cli.output import LOST
from durable_lab.stores import StoreError
from durable_lab.study import StudyError
from grader.cli.course import autograde, collect, course, feedback, release
from grader.cli.export import export
from grader.cli.grade import grade, one
from grader.cli.options import Setup, weighed
from grader.cli.show import report, show
from grader.cli.unpack import unpack
from grader.errors import GraderError


def about(context: typer.Context) -> None:
    """Grade a class, show marks, hand out feedback, export. If `grade` is killed, the next one continues from there."""
    if not context.invoked_subcommand:
        context.fail("Missing command.")


LAB_GRADER = CommandLine(
    "lab-grader",
    about,
    (
        unpack,
        weighed(grade),
        weighed(one),
        report,
        show,
        weighed(export),
        weighed(course),
        weighed(release),
        collect,
        weighed(autograde),
        feedback,
    ),
    errors=(GraderError, StudyError, StoreError, OSError),
    stopped="stopped. What was graded is kept; the same command goes on from there.",
    epilog="Exit codes: 0 done; 1 not for every student; 2 refused, with the reason; 130 stopped by Ctrl-C.",
)


def main(arguments: Sequence[str] | None = None, grade: str = "grader.marks:grade") -> int:
    """Run one command. Returns the exit code; `lab-grader --help` lists them.

    grade  the function that grades one submission, "package.module:function"
    """
    words = sys.argv[1:] if arguments is None else arguments
    code = LAB_GRADER.run(words, lambda console: Setup(console, grade))
    return 0 if code == LOST else code  # what is graded is in files, whether or not it could be printed
