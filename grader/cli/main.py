"""What can be asked of `lab-grader`, and where it is answered."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from rich.console import Console

from durable_lab.cli.output import screens
from durable_lab.stores import StoreError
from durable_lab.study import StudyError
from grader.cli import course, export, grade, unpack
from grader.cli.options import Action, action
from grader.errors import GraderError
from grader.rubric import weights


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="lab-grader",
        description="Grade a class, look, give back, export. Killed at any moment, `grade` goes on where it stopped.",
    )
    commands = top.add_subparsers(dest="command", metavar="command", required=True)
    unpack.add_commands(commands)
    grade.add_commands(commands)
    export.add_commands(commands)
    course.add_commands(commands)
    return top


ACTIONS: dict[str, Action] = {
    "unpack": action(unpack.Unpack, unpack.unpack),
    "grade": action(grade.Grade, grade.grade),
    "one": action(grade.One, grade.one),
    "report": action(grade.Marks, grade.report),
    "show": action(grade.Show, grade.show),
    "export": action(export.Export, export.export),
    "course": action(course.Course, course.course),
    "release": action(course.Release, course.release),
    "collect": action(course.Collect, course.collect),
    "autograde": action(course.Autograde, course.autograde),
    "feedback": action(course.Feedback, course.feedback),
}

WEIGHED = ("grade", "one", "export", "course", "release", "autograde")  # the commands that need the rubric


def main(arguments: Sequence[str] | None = None, grade: str = "grader.marks:grade") -> int:
    """Run one command. Returns the exit code: 0 done, 1 not for everybody, 2 asked or set up wrongly.

    grade  the function that grades one submission, "package.module:function"
    """
    with screens():  # what an output cannot show, or that it is gone, ends no grading
        given = parser().parse_args(arguments)
        given.function = grade
        return _run(Console(highlight=False, emoji=False), given)


def _run(console: Console, given: argparse.Namespace) -> int:
    try:
        if given.command in WEIGHED:
            weights()  # what is wrong with the rubric is said before anything is done
        return ACTIONS[given.command](console, given)
    except (GraderError, StudyError, StoreError, OSError) as error:
        print(f"lab-grader: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("lab-grader: stopped. What was graded is kept; the same command goes on from there.", file=sys.stderr)
        return 130
