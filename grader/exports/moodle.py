"""Moodle: the grading worksheet of an assignment, filled in; or a table for the gradebook's own import.

The worksheet (Assignment > Download grading worksheet; "Offline grading worksheet" and "Feedback comments" switched on)
keeps all its columns in their order. Moodle finds rows by Identifier, "Participant 4711", takes Grade and Feedback
comments (as HTML), and compares Last modified (grade) so that it does not overwrite later marks.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

from grader.book import Book
from grader.display import line, number
from grader.errors import GraderError
from grader.exports.roster import Filled, matches, read_sheet, scaled
from grader.exports.table import cell, csv_text
from grader.pages.part import NOT_ISOLATED
from grader.pages.student_page import why
from grader.report import Report

WHO = ("Identifier", "Full name", "First name", "Last name", "ID number", "Username", "Email address")


def moodle_csv(book: Book, column: str = "Lab 01") -> Filled:
    """Return a table for Grades > Import > CSV file. Folders must have the students' login names."""
    rows = [["Username", column, f"{column} (feedback)"]]
    rows += [[cell(r.student), number(r.points), cell(comment(r))] for r in book.final]
    return Filled(csv_text(rows), len(rows) - 1)


def fill_moodle(book: Book, worksheet: Path) -> Filled:
    """Return the worksheet with marks and comments filled in. Raises GraderError if the file is none."""
    sheet = read_sheet(worksheet)
    grade, comments = sheet.column("Grade"), sheet.column("Feedback comments")
    if sheet.column("Identifier") is None or grade is None:
        raise GraderError(
            f"{worksheet} has no columns Identifier and Grade. Download the worksheet with Moodle set to English."
        )
    who = [i for i, name in enumerate(sheet.head) if name.strip() in WHO]
    most = sheet.column("Maximum Grade")
    found = matches(book, [_keys(sheet.head, row, who) for row in sheet.rows])
    reports = {report.student: report for report in book.final}
    scale: list[str] = []
    marks = {row: reports[student] for student, row in found.items() if student in reports}
    rows = [sheet.head]
    for i, row in enumerate(sheet.rows):
        made = [cell(word) for word in row]
        if i in marks:
            points, note = scaled(book, row[most] if most is not None else "")
            scale += [note] if note not in scale else []
            made[grade] = number(points(marks[i]))
            if comments is not None:
                made[comments] = cell(comment(marks[i]))
        rows.append(made)
    no_row = tuple(student for student in reports if student not in found)
    name = sheet.column("Full name", "Identifier") or 0
    no_mark = tuple(row[name] for i, row in enumerate(sheet.rows) if i not in marks)
    return Filled(csv_text(rows, sheet.delimiter, sheet.bom), len(marks), no_row, no_mark, " ".join(scale))


def _keys(head: list[str], row: list[str], who: list[int]) -> list[str]:
    """Return the names that identify a row; of an e-mail address also the part before its @."""
    words = [row[i] for i in who]
    mails = [row[i].partition("@")[0] for i in who if head[i].strip() == "Email address"]
    names = {head[i].strip(): row[i] for i in who}
    first, last = names.get("First name", ""), names.get("Last name", "")
    return [*words, *mails, *([f"{first} {last}"] if first and last else [])]


def comment(report: Report) -> str:
    """Return one line for each part, as HTML, which Moodle shows."""
    lines = [] if report.isolated else [NOT_ISOLATED]
    for part in report.parts:
        words = f"{line(part.name)}: {number(part.points)} of {number(part.out_of)}"
        words += f" ({why(part)})" if why(part) else ""
        words += f". {line(part.diagnosis.words)} {line(part.diagnosis.customer)}" if part.diagnosis else ""
        lines.append(words)
    lines += [f"Could not be used: {line(sentence)}" for sentence in report.refusals]
    return "<br>".join(escape(words) for words in lines)
