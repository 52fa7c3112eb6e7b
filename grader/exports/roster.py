"""Match submissions to the rows of another system's table by the names and numbers in a row, never by a guess."""

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
_UNNAMED = ("Participant",)  # Moodle's name for all students if grading is anonymous


@dataclass(frozen=True)
class Sheet:
    """A table that another system exported, and its format."""

    head: list[str]
    rows: list[list[str]]
    delimiter: str
    bom: bool

    def column(self, *names: str) -> int | None:
        """Return the index of the first of these columns that exists."""
        wanted = [name.casefold() for name in names]
        found = {name.strip().casefold(): i for i, name in reversed(list(enumerate(self.head)))}
        return next((found[name] for name in wanted if name in found), None)


@dataclass(frozen=True)
class Filled:
    """The table to import, and the students for whom it could not be filled in."""

    text: str
    filled: int
    no_row: tuple[str, ...] = ()  # students with a mark, but in no row or in several
    no_mark: tuple[str, ...] = ()  # rows without a mark
    scale: str = ""  # how the points were scaled


def read_sheet(path: Path) -> Sheet:
    """Read a CSV file: UTF-8 with or without a byte order mark, or UTF-16; commas, semicolons or tabs.

    Raises GraderError if it is none.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise GraderError(f"{path}: {error.strerror}. Name the CSV file that you exported.") from None
    wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    try:
        text = data.decode("utf-16" if wide else "utf-8")
    except UnicodeDecodeError:
        raise GraderError(f"{path} is not in UTF-8. Export it again, and do not save it from a spreadsheet.") from None
    bom, text = text.startswith(BOM), text.removeprefix(BOM)
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise GraderError(f"{path} is not a CSV file: {error}. Export it again.") from None
    if len(rows) < 2 or len(rows[0]) < 2:
        raise GraderError(f"{path} is not a table with a header and a row for each student. Export it again.")
    return Sheet(rows[0], [[*row, *[""] * (len(rows[0]) - len(row))] for row in rows[1:] if any(row)], delimiter, bom)


def scaled(book: Book, possible: str) -> tuple[Callable[[Report], float], str]:
    """Return a function that gives a report's points on the other system's scale, and a sentence about the scale."""
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
    scale = f"The points are scaled: the file has {number(most)} points possible, the rubric {number(out_of)}."
    return lambda one: round(one.points * most / one.out_of, 2) if one.out_of else 0.0, scale


def matches(book: Book, keys: Sequence[Iterable[str]]) -> dict[str, int]:
    """Return each student's row, counted from 0: the only one with the student's name among its keys."""
    rows: dict[str, set[int]] = defaultdict(set)
    for place, words in enumerate(keys):
        for word in filter(None, map(_key, words)):
            rows[word].add(place)
    found: dict[str, int] = {}
    for entry in book.entries:
        hits = _hits(entry.student, rows)
        if len(hits) == 1:
            found[entry.student] = next(iter(hits))
    taken = [row for row in found.values() if list(found.values()).count(row) > 1]  # two submissions, one row: neither
    return {student: row for student, row in found.items() if row not in taken}


def _hits(student: str, rows: Mapping[str, set[int]]) -> set[int]:
    """Return the rows that may be a student's: by the whole name; or, if an LMS made the name, by its number and name.

    The number alone is not enough: in another system it may be another student's.
    """
    if whole := rows.get(_key(student)):
        return whole
    if not (made := _LMS.fullmatch(student)):
        return set()
    name, number = made["name"], made["number"]
    numbered = rows.get(_key(f"Participant {number}"), set()) | rows.get(_key(number), set())
    return numbered if name in _UNNAMED else numbered & rows.get(_key(name), set())


def _key(text: str) -> str:
    """Normalise a name to its letters and digits: "Lovelace, Ada" is lovelaceada."""
    return re.sub(r"[^\w]|_", "", unicodedata.normalize("NFKC", text).casefold())
