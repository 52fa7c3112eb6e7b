"""`report` and `show`: the recorded marks."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.table import Table

from grader.book import Book
from grader.classrun import outputs
from grader.classrun.recorded import read_book
from grader.cli.options import Marks, Setup
from grader.display import count, line, number
from grader.pages.student_page import open_parts, student_text


def report(context: typer.Context, out: Marks = Path("grades")) -> int:
    """Write the class report and the students' pages again, from the recorded marks."""
    book = read_book(out)
    write(context.obj, book, out)
    return 1 if book.missing else 0


def show(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="the student's folder; its beginning will do")],
    out: Marks = Path("grades"),
) -> int:
    """Show the report of one student."""
    entry = read_book(out).find(name)
    text = student_text(entry.report) if entry.report else f"{line(entry.student)}: not graded. {line(entry.problem)}"
    context.obj.say(text.removesuffix("\n"))
    return 0 if entry.report else 1


def write(setup: Setup, book: Book, out: Path) -> None:
    """Write everything that people read into `out`, and print a summary."""
    outputs.write_outputs(book, out)
    setup.console.print(_summary(book))
    setup.say(f"class report  {out / outputs.CLASS}", f"for students  {out / outputs.FEEDBACK}")


def _summary(book: Book) -> Table:
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
        ("repaired before grading", sum(bool(entry.repairs) for entry in book.reports)),
        ("late", sum(bool(entry.late) for entry in book.reports)),
        ("NOT ISOLATED", sum(not entry.isolated for entry in book.reports)),
    ):
        if many:
            table.add_row(words, count(many, "submission"))
    _some(table, "graded in part", [f"{line(one.student)}: {open_parts(one)}" for one in book.unfinished])
    _some(table, "not graded", [f"{line(entry.student)}: {line(entry.problem, 200)}" for entry in book.missing])
    _some(table, "ignored", [line(sentence) for sentence in book.left_out])
    return table


def _some(table: Table, words: str, sentences: Sequence[str], most: int = 10) -> None:
    for sentence in sentences[:most]:
        table.add_row(words, sentence)
    if len(sentences) > most:
        table.add_row(words, f"and {len(sentences) - most} more: see the class report")
