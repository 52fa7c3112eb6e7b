"""A class as a plain table and as JSON; and CSV in which a spreadsheet sees no formula."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Iterable, Sequence

from grader.book import Book, Entry
from grader.display import number
from grader.pages.student_page import open_parts

BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"  # by which Excel recognises UTF-8
_FORMULA = "=+-@\uff1d\uff0b\uff0d\uff20"  # the last four: the same characters in full width
_NUMBER = re.compile(r"[-+]?[\d.,]*")  # Moodle writes "-" for no grade
_BETWEEN = re.compile(r"([;,|\t\r\n])")  # in some locales a spreadsheet begins a new cell here, even within quotes


def cell(text: str) -> str:
    """Return the text with a quote before whatever a spreadsheet would take for a formula, as in `x;=1+1`."""
    core = text.lstrip("\t\r\n")
    first, *rest = _BETWEEN.split(core)
    return _quoted(text[: len(text) - len(core)] + first) + "".join(map(_quoted, rest))


def _quoted(text: str) -> str:
    begins = next((character for character in text if character not in "\"'" and not _is_space(character)), "")
    harmless = not begins or begins not in _FORMULA or _NUMBER.fullmatch(text.strip())
    return text if harmless else f"'{text}"


def _is_space(character: str) -> bool:
    """Return whether a spreadsheet skips or hides this character."""
    return unicodedata.category(character) in ("Cc", "Cf", "Zs", "Zl", "Zp")


def csv_text(rows: Iterable[Sequence[str]], delimiter: str = ",", bom: bool = False) -> str:
    """Return the rows as CSV, with the line ends of RFC 4180."""
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    return (BOM if bom else "") + out.getvalue()


def everything_csv(book: Book) -> str:
    """Return one row for each student: points, parts and remarks. A student who is not graded has no points."""
    names = list(dict.fromkeys(part.name for report in book.reports for part in report.parts))
    head = ["student", "points", "out of", *names, "beliefs", "repairs", "refusals", "isolated", "late", "not graded"]
    return csv_text([head, *(_row(entry, names) for entry in book.entries)], bom=True)


def _row(entry: Entry, names: Sequence[str]) -> list[str]:
    report = entry.report
    if report is None:
        return [cell(entry.student), "", "", *("" for _ in names), "", "", "", "", "", cell(entry.problem)]
    points = {part.name: number(part.points) for part in report.parts if part.graded}
    beliefs = [part.diagnosis.belief for part in report.parts if part.diagnosis]
    return [
        cell(entry.student),
        "" if report.open else number(report.points),
        number(report.out_of),
        *(points.get(name, "") for name in names),
        " ".join(dict.fromkeys(beliefs)),
        cell(" ".join(report.repairs)),
        cell(" ".join(report.refusals)),
        "yes" if report.isolated else "no",
        cell(report.late),
        cell(open_parts(report)),
    ]


def everything_json(book: Book) -> str:
    """Return all reports as JSON, see `Report.to_json`; `report` is null if a submission is not graded."""
    students = [
        {
            "student": entry.student,
            "points": entry.report.points if entry.report else None,
            "out_of": entry.report.out_of if entry.report else None,
            "not_graded": entry.problem or (open_parts(entry.report) if entry.report else ""),
            "report": entry.report.to_json() if entry.report else None,
        }
        for entry in book.entries
    ]
    return json.dumps({"students": students, "left_out": list(book.left_out)}, indent=1) + "\n"
