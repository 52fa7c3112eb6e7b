"""From a hand-in's name to a row of another system's table: by what stands in a row, never by a guess."""

from __future__ import annotations

import csv
import io
import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.book import Book
from grader.display import number
from grader.errors import GraderError
from grader.exports.table import BOM
from grader.report import Report

# As `unpack` names students of Moodle (Ada Lovelace_4711) and Canvas (lovelaceada_4711), and as their archives do.
_LMS = re.compile(r"(?P<name>.+?)_(?:LATE_)?(?P<number>\d+)(?:_assignsubmission_.*|_\d+)?", re.DOTALL)
_UNNAMED = ("Participant",)  # Moodle's name for all where grading is anonymous


@dataclass(frozen=True)
class Sheet:
    """A table that another system gave out, and how it was written."""

    head: list[str]
    rows: list[list[str]]
    delimiter: str
    bom: bool

    def column(self, *names: str) -> int | None:
        """The place of the first of these columns that is there."""
        wanted = [name.casefold() for name in names]
        found = {name.strip().casefold(): i for i, name in reversed(list(enumerate(self.head)))}
        return next((found[name] for name in wanted if name in found), None)


@dataclass(frozen=True)
class Filled:
    """The table to import, and whom it could not be filled in for."""

    text: str
    filled: int
    no_row: tuple[str, ...] = ()  # graded, but in no row, or in several
    no_mark: tuple[str, ...] = ()  # in a row, but with no mark of ours
    said: str = ""  # how the points were scaled


def read_sheet(path: Path) -> Sheet:
    """A CSV file: UTF-8 with or without a mark, or UTF-16 as Excel writes it; commas, semicolons or tabs.

    Raises GraderError where it is none.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise GraderError(f"{path}: {error.strerror}. Name the CSV file that you have exported.") from None
    wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    try:
        text = data.decode("utf-16" if wide else "utf-8")
    except UnicodeDecodeError:
        raise GraderError(
            f"{path} is not in UTF-8. Export it once more, and do not save it from a spreadsheet."
        ) from None
    bom, text = text.startswith(BOM), text.removeprefix(BOM)
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise GraderError(f"{path} is no CSV file: {error}. Export it once more.") from None
    if len(rows) < 2 or len(rows[0]) < 2:
        raise GraderError(f"{path} is not a table with a head and a row for each student. Export it once more.")
    return Sheet(rows[0], [[*row, *[""] * (len(rows[0]) - len(row))] for row in rows[1:] if any(row)], delimiter, bom)


def scaled(book: Book, possible: str) -> tuple[Callable[[Report], float], str]:
    """A function from a report to its points, out of as many as are possible in the other system; and what is said."""
    out_of = max((report.out_of for report in book.reports), default=0.0)
    try:
        most = float(possible.replace(",", "."))
    except ValueError:
        most = math.nan
    if not math.isfinite(most) or most <= 0:
        told = f"{possible.strip()!r}" if possible.strip() else "nothing"
        return (
            lambda one: one.points,
            f"The points are out of {number(out_of)}; the file says {told} of what is possible.",
        )
    if most == out_of:
        return lambda one: one.points, f"The points are out of {number(out_of)}, as in the file."
    said = f"The points are scaled: the file has {number(most)} points possible, the rubric {number(out_of)}."
    return lambda one: round(one.points * most / one.out_of, 2) if one.out_of else 0.0, said


def matches(book: Book, keys: Sequence[Iterable[str]]) -> dict[str, int]:
    """The row of each student: the only one that has the student's name among its keys. Rows are numbered from 0."""
    rows: dict[str, set[int]] = defaultdict(set)
    for place, words in enumerate(keys):
        for word in filter(None, map(_same, words)):
            rows[word].add(place)
    found: dict[str, int] = {}
    for entry in book.entries:
        hits = _hits(entry.student, rows)
        if len(hits) == 1:
            found[entry.student] = next(iter(hits))
    taken = [row for row in found.values() if list(found.values()).count(row) > 1]  # two hand-ins, one row: neither
    return {student: row for student, row in found.items() if row not in taken}


def _hits(student: str, rows: Mapping[str, set[int]]) -> set[int]:
    """The rows that may be a student's: by the whole name; or, of a name that an LMS made, by its number and name.

    The number alone is not enough: one system's number is that of another student in another system.
    """
    if whole := rows.get(_same(student)):
        return whole
    if not (made := _LMS.fullmatch(student)):
        return set()
    name, number = made["name"], made["number"]
    numbered = rows.get(_same(f"Participant {number}"), set()) | rows.get(_same(number), set())
    return numbered if name in _UNNAMED else numbered & rows.get(_same(name), set())


def _same(text: str) -> str:
    """What counts of a name: letters and digits, in any case, composed in one way. "Lovelace, Ada" is lovelaceada."""
    return re.sub(r"[^\w]|_", "", unicodedata.normalize("NFKC", text).casefold())
