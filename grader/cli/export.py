"""`export`: the marks for another system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from durable_lab.files import rewrite
from grader.book import Book
from grader.classrun.outputs import file_names
from grader.classrun.results import read_book
from grader.cli.course import export_gradebook
from grader.cli.grade import where
from grader.display import count, line
from grader.errors import GraderError
from grader.exports import canvas, github, gradescope, moodle, table
from grader.exports.roster import Filled
from grader.pages.student_page import open_parts


@dataclass(frozen=True)
class Export:
    to: str
    file: Path | None
    roster: Path | None
    column: str
    course: Path | None
    out: Path


def export(console: Console, given: Export) -> int:
    """Write the export. Exit code 1 where somebody's marks could not be put into it."""
    return EXPORTS[given.to](console, given)


def _github(console: Console, given: Export) -> int:
    return _said(console, _write(given.file or Path(github.PATH), github.workflow_yaml()))


def _nbgrader(console: Console, given: Export) -> int:
    if not given.course:
        raise GraderError("Name the course whose gradebook you want: --course COURSE.")
    return _said(console, export_gradebook(given.course, given.file or given.course / "gradebook.csv"))


def _csv(console: Console, given: Export) -> int:
    book, path = read_book(given.out), given.file or given.out / "exports" / "grades.csv"
    _said(console, _write(path, table.everything_csv(book)))
    return _said(console, _write(path.with_suffix(".json"), table.everything_json(book)))


def _gradescope(console: Console, given: Export) -> int:
    book, folder = read_book(given.out), given.file or given.out / "exports" / "gradescope"
    names = file_names(entry.student for entry in book.entries)
    for report in book.final:
        _write(folder / names[report.student] / "results.json", gradescope.results_json(report))
    console.print(escape(f"{count(len(book.final), 'file')} written: {folder}/STUDENT/results.json"), soft_wrap=True)
    return _without_marks(console, book)


def _canvas(console: Console, given: Export) -> int:
    book, column = read_book(given.out), given.column
    filled = canvas.fill_canvas(book, given.roster, column) if given.roster else canvas.canvas_csv(book, column)
    return _matched(console, given, filled, book)


def _moodle(console: Console, given: Export) -> int:
    book = read_book(given.out)
    filled = moodle.fill_moodle(book, given.roster) if given.roster else moodle.moodle_csv(book, given.column)
    return _matched(console, given, filled, book)


EXPORTS = {
    "gradescope": _gradescope,
    "canvas": _canvas,
    "moodle": _moodle,
    "csv": _csv,
    "github": _github,
    "nbgrader": _nbgrader,
}


def _matched(console: Console, given: Export, filled: Filled, book: Book) -> int:
    """Whom it was filled in for, and whom not."""
    _said(console, _write(given.file or given.out / "exports" / f"{given.to}.csv", filled.text))
    console.print(f"marks filled in: {filled.filled} of {len(book.final)}")
    if filled.said:
        console.print(escape(filled.said), soft_wrap=True)
    _names(console, "no row, or no single row, for", filled.no_row)
    _names(console, "rows without a mark of ours", filled.no_mark)
    return max(1 if filled.no_row else 0, _without_marks(console, book))


def _without_marks(console: Console, book: Book) -> int:
    """Who has handed in and has no mark that could be exported. Returns the exit code."""
    _names(console, "not graded", [entry.student for entry in book.missing])
    _names(
        console, "graded in part, so not exported", [f"{one.student} ({open_parts(one)})" for one in book.unfinished]
    )
    return 1 if book.missing or book.unfinished else 0


def _names(console: Console, words: str, names: Sequence[str]) -> None:
    if names:
        console.print(escape(f"{words}: {'; '.join(map(line, names))}"), soft_wrap=True)


def _write(path: Path, text: str) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        rewrite(path, text)
    except OSError as error:
        raise GraderError(f"{path}: {error.strerror}. Name another place: --file.") from None
    return path


def _said(console: Console, path: Path) -> int:
    console.print(escape(f"written: {path}"), soft_wrap=True)
    return 0


def add_commands(commands: Any) -> None:
    """The parser of `export`."""
    made = commands.add_parser("export", help="the marks for another system, or a workflow for GitHub Classroom")
    made.add_argument("to", choices=tuple(EXPORTS))
    made.add_argument("--file", type=Path, help="where to write (default: in `exports` beside the marks)")
    roster = "what Canvas (Grades > Export) or Moodle (grading worksheet) gave you, to fill in"
    made.add_argument("--roster", type=Path, metavar="CSV", help=roster)
    made.add_argument("--column", default="Lab 01", help="the assignment's name there (default: %(default)s)")
    course = "for nbgrader: the course whose gradebook it is, manual marks included"
    made.add_argument("--course", type=Path, metavar="COURSE", help=course)
    where(made)
