"""`grade`, `report` and `show`: mark a class, and look at the marks."""

from __future__ import annotations

import argparse
import statistics
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from grader.book import Book, Entry
from grader.classrun import outputs
from grader.classrun.grading import Order, cores, grade_all
from grader.classrun.pool import SECONDS
from grader.classrun.results import read_book
from grader.classrun.submissions import Roll, roll
from grader.cli.progress import Shown
from grader.display import count, line, number
from grader.errors import GraderError
from grader.pages.part import NOT_ISOLATED
from grader.pages.student_page import open_parts, student_text
from grader.report import NotGraded, Source
from grader.sandbox import bubblewrap

ALLOW = "--not-isolated-i-know-the-students"


@dataclass(frozen=True)
class HowToGrade:
    """The options of `grade` and `autograde`."""

    out: Path | None
    jobs: int
    again: list[str]
    again_all: bool
    seconds: float
    source: Source
    not_isolated: bool
    function: str  # what grades one submission: not on the command line, see `main`


@dataclass(frozen=True)
class Grade(HowToGrade):
    folder: Path


@dataclass(frozen=True)
class One:
    folder: Path
    gradescope: Path | None
    source: Source
    not_isolated: bool
    function: str


@dataclass(frozen=True)
class Marks:
    """The options of `report`."""

    out: Path


@dataclass(frozen=True)
class Show(Marks):
    name: str


def grade(console: Console, given: Grade) -> int:
    """Grade all that is not graded yet. Exit code 1 if a submission is left without a mark."""
    out = given.out or given.folder.absolute().parent / "grades"
    book = mark(console, given, given.folder, out)
    return 1 if book.missing or book.unfinished else 0


def mark(console: Console, given: HowToGrade, folder: Path, out: Path, find: Callable[[Path], Roll] = roll) -> Book:
    """Grade the class in `folder`, write the reports into `out`, and sum up."""
    isolated = _isolated(given.not_isolated)
    jobs = given.jobs or cores()
    order = Order(
        folder,
        out,
        given.function,
        isolated=isolated,
        source=given.source,
        jobs=jobs,
        again=given.again,
        again_all=given.again_all,
        seconds=given.seconds,
    )
    if not isolated:
        console.print(escape(textwrap.fill(NOT_ISOLATED, 100)), style="bold", soft_wrap=True)
    with Shown(console, jobs) as progress:
        book = grade_all(order, progress, find)
    outputs.write_outputs(book, out)
    _summary(console, book, out)
    return book


def _isolated(allowed: bool) -> bool:
    """Whether students' code runs in a sandbox. Raises GraderError if it would run unprotected without permission."""
    why = bubblewrap.missing()
    if why and not allowed:
        raise GraderError(
            f"Students' code is not graded without a sandbox, and there is none: {why}. "
            f"If you know whose code it is, {ALLOW} grades it all the same; every report will say so."
        )
    return not why


def report(console: Console, given: Marks) -> int:
    """Write all reports once more from the recorded marks."""
    book = read_book(given.out)
    outputs.write_outputs(book, given.out)
    _summary(console, book, given.out)
    return 1 if book.missing else 0


def show(console: Console, given: Show) -> int:
    """One student's report."""
    entry = read_book(given.out).find(given.name)
    console.print(escape(_text(entry)), soft_wrap=True, end="")
    return 0 if entry.report else 1


def _text(entry: Entry) -> str:
    if entry.report:
        return student_text(entry.report)
    return f"{line(entry.student)}: not graded. {line(entry.problem)}\n"


def one(console: Console, given: One) -> int:
    """Grade one folder here and now, and record nothing: to try out, or as an autograder of Gradescope."""
    from grader.classrun.worker import named
    from grader.exports.gradescope import results_json

    if not given.folder.is_dir():
        raise GraderError(f"{given.folder} is no folder. Name the folder with one submission in it.")
    student, isolated = line(given.folder.resolve().name), _isolated(given.not_isolated)
    try:
        made = named(given.function)(given.folder, student, isolated=isolated, source=given.source)
    except NotGraded as why:
        console.print(escape(f"{student}: not graded. {line(str(why), 600)}"), soft_wrap=True)
        return 1
    if given.gradescope:
        given.gradescope.write_text(results_json(made), encoding="utf-8")
    console.print(escape(student_text(made)), soft_wrap=True, end="")
    return 0


def _summary(console: Console, book: Book, out: Path) -> None:
    points = [entry.points for entry in book.reports]
    table = Table(box=box.SIMPLE, show_header=False, pad_edge=False)
    table.add_row("graded", f"{len(points)} of {len(book.entries)}")
    if points:
        mean, median = statistics.fmean(points), statistics.median(points)
        out_of = number(max(entry.out_of for entry in book.reports))
        table.add_row(
            "points",
            f"mean {mean:.1f}, median {median:.1f}, {number(min(points))} to {number(max(points))} of {out_of}",
        )
    for words, many in (
        ("refused, in part or whole", sum(bool(entry.refusals) for entry in book.reports)),
        ("put right before grading", sum(bool(entry.repairs) for entry in book.reports)),
        ("late", sum(bool(entry.late) for entry in book.reports)),
        ("NOT ISOLATED", sum(not entry.isolated for entry in book.reports)),
    ):
        if many:
            table.add_row(words, count(many, "submission"))
    _some(table, "graded in part", [f"{line(one.student)}: {open_parts(one)}" for one in book.unfinished])
    _some(table, "not graded", [f"{line(entry.student)}: {line(entry.problem, 200)}" for entry in book.missing])
    _some(table, "not looked at", [line(sentence) for sentence in book.left_out])
    console.print(table)
    console.print(escape(f"class report  {out / outputs.CLASS}"), soft_wrap=True)
    console.print(escape(f"for students  {out / outputs.FEEDBACK}"), soft_wrap=True)


def _some(table: Table, words: str, sentences: Sequence[str], most: int = 10) -> None:
    for sentence in sentences[:most]:
        table.add_row(words, escape(sentence))
    if len(sentences) > most:
        table.add_row(words, f"and {len(sentences) - most} more: see the class report")


def add_commands(commands: Any) -> None:
    """The parsers of these commands."""
    make = commands.add_parser("grade", help="grade a class; goes on where it stopped")
    make.add_argument("folder", type=Path, metavar="FOLDER", help="has one sub-folder for each student")
    how_to_grade(make, "a folder `grades` beside FOLDER")
    single = commands.add_parser("one", help="grade one submission here and now; nothing is recorded")
    single.add_argument("folder", type=Path, metavar="FOLDER")
    single.add_argument("--gradescope", type=Path, metavar="FILE", help="write Gradescope's results.json there, too")
    _what_counts(single)
    again = commands.add_parser("report", help="write the class report and the students' pages once more")
    where(again)
    one_of = commands.add_parser("show", help="a student's report, here")
    one_of.add_argument("name", metavar="NAME", help="the student's folder; its beginning will do")
    where(one_of)


def how_to_grade(parser: argparse.ArgumentParser, out: str) -> None:
    """The options of the commands that grade a class."""
    parser.add_argument("--out", type=Path, metavar="DIR", help=f"where marks and reports go (default: {out})")
    parser.add_argument("--jobs", type=_many, default=0, metavar="N", help="how many at once (default: one a core)")
    again = "grade the student of exactly this name again; can be given several times"
    parser.add_argument("--again", action="append", default=[], metavar="NAME", help=again)
    parser.add_argument("--again-all", action="store_true", help="grade everyone again")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=argparse.SUPPRESS)
    _what_counts(parser)


def _what_counts(parser: argparse.ArgumentParser) -> None:
    counts = "what counts: the notebooks (default; lab/engine.py where there are none), or always lab/engine.py"
    parser.add_argument("--from", dest="source", choices=("notebooks", "files"), default="notebooks", help=counts)
    alone = "run their code without a sandbox where there is none"
    parser.add_argument(ALLOW, dest="not_isolated", action="store_true", help=alone)


def where(parser: argparse.ArgumentParser) -> None:
    """The option of all commands that read marks."""
    default = "where `grade` put the marks (default: %(default)s)"
    parser.add_argument("--out", type=Path, metavar="DIR", default=Path("grades"), help=default)


def _many(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)
