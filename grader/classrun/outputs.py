"""Write the files that a grading leaves: the class report, two pages for each student, a table and JSON.

All are made from the store, so they can be made again at any time. Each file is replaced atomically.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Iterable
from pathlib import Path

from durable_lab.files import rewrite
from grader.book import Book
from grader.errors import GraderError
from grader.exports.table import everything_csv, everything_json
from grader.pages.class_page import class_html
from grader.pages.student_page import student_html, student_text

CLASS, TABLE, JSON, FEEDBACK = "class.html", "grades.csv", "grades.json", "feedback"
_NAMES = ".written.json"  # in feedback/: the files that the grader wrote there; it removes no others


def write_outputs(book: Book, out: Path) -> None:
    """Write all files into the folder `out`. Raises GraderError if they cannot be written."""
    try:
        _write(book, out)
    except OSError as error:
        raise GraderError(
            f"{error.filename or out}: {error.strerror}. The marks are recorded; only the reports are not written. "
            "Fix this, then run `lab-grader report`."
        ) from None


def _write(book: Book, out: Path) -> None:
    folder = out / FEEDBACK
    folder.mkdir(exist_ok=True)
    names = file_names(entry.student for entry in book.entries)
    written = []
    for report in book.reports:
        name = names[report.student]
        rewrite(folder / f"{name}.html", student_html(report))
        rewrite(folder / f"{name}.txt", student_text(report))
        written += [f"{name}.html", f"{name}.txt"]
    _remove_others(folder, written)
    pages = {report.student: f"{FEEDBACK}/{names[report.student]}.html" for report in book.reports}
    rewrite(out / CLASS, class_html(book, pages))
    rewrite(out / TABLE, everything_csv(book))
    rewrite(out / JSON, everything_json(book))


def file_names(students: Iterable[str]) -> dict[str, str]:
    """Return a file name, without its extension, for each student: the student's name if possible; all are unique."""
    made: dict[str, str] = {}
    for student in students:
        name = re.sub(r"[^\w.@+,() -]", "_", student).encode()[:150].decode(errors="ignore").strip(". ") or "_"
        if name != student or name.casefold() in {other.casefold() for other in made.values()}:
            name = f"{name}-{zlib.crc32(student.encode()):08x}"
        made[student] = name
    return made


def _remove_others(folder: Path, written: list[str]) -> None:
    """Remove the pages of students who have no mark any more, so that no old mark is handed out."""
    note = folder / _NAMES
    try:
        before = json.loads(note.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        before = []
    for name in set(before) - set(written):
        if name == os.path.basename(name):  # noqa: PTH119 - a name, not a path
            (folder / name).unlink(missing_ok=True)
    rewrite(note, json.dumps(written, indent=0))
