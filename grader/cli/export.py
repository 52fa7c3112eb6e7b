"""`export`: the marks for another system."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from durable_lab.files import rewrite
from grader.book import Book
from grader.classrun.outputs import file_names
from grader.classrun.recorded import read_book
from grader.cli.course import export_gradebook
from grader.cli.options import Marks, Setup
from grader.display import count, line
from grader.errors import GraderError
from grader.exports import canvas, github, gradescope, moodle, table
from grader.exports.roster import Filled
from grader.pages.student_page import open_parts

System = Literal["gradescope", "canvas", "moodle", "csv", "github", "nbgrader"]


@dataclass(frozen=True)
class Export:
    to: System
    file: Path | None
    roster: Path | None
    column: str
    course: Path | None
    out: Path


def _github(setup: Setup, given: Export) -> int:
    return _said(setup, _write(given.file or Path(github.PATH), github.workflow_yaml()))


def _nbgrader(setup: Setup, given: Export) -> int:
    if not given.course:
        raise GraderError("Name the course whose gradebook you want: --course COURSE.")
    return _said(setup, export_gradebook(given.course, given.file or given.course / "gradebook.csv"))


def _csv(setup: Setup, given: Export) -> int:
    book, path = read_book(given.out), given.file or given.out / "exports" / "grades.csv"
    _said(setup, _write(path, table.everything_csv(book)))
    return _said(setup, _write(path.with_suffix(".json"), table.everything_json(book)))


def _gradescope(setup: Setup, given: Export) -> int:
    book, folder = read_book(given.out), given.file or given.out / "exports" / "gradescope"
    names = file_names(entry.student for entry in book.entries)
    for report in book.final:
        _write(folder / names[report.student] / "results.json", gradescope.results_json(report))
    setup.say(f"{count(len(book.final), 'file')} written: {folder}/STUDENT/results.json")
    return _without_marks(setup, book)


def _canvas(setup: Setup, given: Export) -> int:
    book, column = read_book(given.out), given.column
    filled = canvas.fill_canvas(book, given.roster, column) if given.roster else canvas.canvas_csv(book, column)
    return _matched(setup, given, filled, book)


def _moodle(setup: Setup, given: Export) -> int:
    book = read_book(given.out)
    filled = moodle.fill_moodle(book, given.roster) if given.roster else moodle.moodle_csv(book, given.column)
    return _matched(setup, given, filled, book)


EXPORTS: dict[System, Callable[[Setup, Export], int]] = {
    "gradescope": _gradescope,
    "canvas": _canvas,
    "moodle": _moodle,
    "csv": _csv,
    "github": _github,
    "nbgrader": _nbgrader,
}


def _matched(setup: Setup, given: Export, filled: Filled, book: Book) -> int:
    """Say who is in it, and who is not."""
    _said(setup, _write(given.file or given.out / "exports" / f"{given.to}.csv", filled.text))
    setup.say(f"marks filled in: {filled.filled} of {len(book.final)}")
    if filled.scale:
        setup.say(filled.scale)
    _names(setup, "no row, or no single row, for", filled.no_row)
    _names(setup, "rows without a mark of ours", filled.no_mark)
    return max(1 if filled.no_row else 0, _without_marks(setup, book))


def _without_marks(setup: Setup, book: Book) -> int:
    """Say who has handed in and has no mark to export. Returns the exit code."""
    _names(setup, "not graded", [entry.student for entry in book.missing])
    _names(setup, "graded in part, so not exported", [f"{one.student} ({open_parts(one)})" for one in book.unfinished])
    return 1 if book.missing or book.unfinished else 0


def _names(setup: Setup, words: str, names: Sequence[str]) -> None:
    if names:
        setup.say(f"{words}: {'; '.join(map(line, names))}")


def _write(path: Path, text: str) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        rewrite(path, text)
    except OSError as error:
        raise GraderError(f"{path}: {error.strerror}. Name another place: --file.") from None
    return path


def _said(setup: Setup, path: Path) -> int:
    setup.say(f"written: {path}")
    return 0


def export(
    context: typer.Context,
    to: Annotated[System, typer.Argument(metavar="SYSTEM", help=", ".join(EXPORTS))],
    file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="where to write; without it, in `exports` beside the marks")
    ] = None,
    roster: Annotated[
        Path | None,
        typer.Option(
            metavar="CSV", help="what Canvas (Grades > Export) or Moodle (grading worksheet) gave you, to fill in"
        ),
    ] = None,
    column: Annotated[str, typer.Option(metavar="NAME", help="the assignment's name there")] = "Lab 01",
    course: Annotated[
        Path | None,
        typer.Option(metavar="COURSE", help="for nbgrader: the course whose gradebook it is, manual marks included"),
    ] = None,
    out: Marks = Path("grades"),
) -> int:
    """Write the marks for another system, or a workflow for GitHub Classroom.

    The exit code is 1 if a student's marks are not in it.
    """
    return EXPORTS[to](context.obj, Export(to, file, roster, column, course, out))
