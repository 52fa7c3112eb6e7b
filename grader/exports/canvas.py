"""Canvas: the CSV that Gradebook > Import takes.

What Canvas expects (its `GradebookImporter`): the first columns are Student, ID, perhaps SIS User ID, SIS Login ID,
Integration ID and Root Account, then Section; then the assignments, as "Lab 01 (12345)". A row whose first cell has
"Points Possible" in it describes the assignments. Only columns that change should be in the file.
"""

from __future__ import annotations

from pathlib import Path

from grader.book import Book
from grader.display import number
from grader.errors import GraderError
from grader.exports.roster import Filled, Sheet, matches, read_sheet, scaled
from grader.exports.table import cell, csv_text

STUDENT = ("Student", "LastName", "FirstName", "ID", "SIS User ID", "SIS Login ID", "Integration ID", "Root Account")


def canvas_csv(book: Book, column: str = "Lab 01") -> Filled:
    """Return a table made from the submissions alone, whose folders must have the students' login names."""
    rows = [["Student", "ID", "SIS Login ID", "Section", column], ["    Points Possible", "", "", "", _possible(book)]]
    rows += [[cell(one.student), "", cell(one.student), "", number(one.points)] for one in book.final]
    return Filled(csv_text(rows), len(rows) - 2)


def fill_canvas(book: Book, gradebook: Path, column: str = "Lab 01") -> Filled:
    """Return the exported gradebook with the marks filled in, reduced to the names and the assignment's column.

    Raises GraderError if the file is no such export, or if not exactly one column is called `column`.
    """
    sheet = read_sheet(gradebook)
    section = sheet.column("Section")
    if sheet.column("ID") is None or section is None:
        raise GraderError(
            f"{gradebook} has no columns ID and Section, so Canvas did not export it. Use Grades > Export."
        )
    place = _assignment(sheet, gradebook, column)
    who = [i for i, name in enumerate(sheet.head) if name.strip() in STUDENT]
    keys = [[] if _about(row) else [*(row[i] for i in who), _first_name_first(row[0])] for row in sheet.rows]
    found, reports = matches(book, keys), {report.student: report for report in book.final}
    marks = {row: reports[name] for name, row in found.items() if name in reports}
    possible = next((row[place] for row in sheet.rows if "Points Possible" in row[0]), "")
    points, scale = scaled(book, possible)
    kept = [*who, section]
    rows = [[*(sheet.head[i] for i in kept), sheet.head[place]]]
    for i, row in enumerate(sheet.rows):
        if _about(row):
            rows += [[*(row[j] for j in kept), row[place]]] if "Points Possible" in row[0] else []
        elif i in marks:
            rows.append([*(cell(row[j]) for j in kept), number(points(marks[i]))])
    no_row = tuple(student for student in reports if student not in found)
    left = [row for i, row in enumerate(sheet.rows) if not _about(row) and i not in marks]
    text = csv_text(rows, sheet.delimiter, sheet.bom)
    return Filled(text, len(marks), no_row, tuple(row[0] for row in left), scale)


def _first_name_first(name: str) -> str:
    """Return "Lovelace, Ada" as "Ada Lovelace"."""
    last, _, first = name.partition(", ")
    return f"{first} {last}"


def _about(row: list[str]) -> bool:
    """Return whether a row is about the columns, not a student: "Points Possible", or only "Manual Posting"."""
    words = {word.strip() for word in row if word.strip()}
    return "Points Possible" in row[0] or all(word.startswith(("Manual Posting", "Muted")) for word in words)


def _assignment(sheet: Sheet, path: Path, column: str) -> int:
    """Return the index of the assignment's column: it has this name, possibly followed by Canvas's number."""
    found = [i for i, name in enumerate(sheet.head) if name == column or name.rpartition(" (")[0] == column]
    if len(found) == 1:
        return found[0]
    after = sheet.column("Section") or 0
    names = ", ".join(sheet.head[after + 1 :][:12])
    raise GraderError(
        f"{path}: {'several columns are' if found else 'no column is'} called {column!r}. "
        f"Name one with --column. There are: {names}."
    )


def _possible(book: Book) -> str:
    return number(max((report.out_of for report in book.reports), default=0.0))
