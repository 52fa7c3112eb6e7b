"""What a student gets: one page that works offline, and the same as plain text."""

from __future__ import annotations

import textwrap

from grader.display import line, number
from grader.pages.part import NOT_ISOLATED, WIDTH, part_text, tally, templates
from grader.report import Part, Report

TITLE = "Lab 01: build a durable workflow engine"


def student_html(report: Report) -> str:
    """Return the page. All that comes from the student is escaped text: nothing in it runs or loads."""
    return (
        templates()
        .get_template("student.html.j2")
        .render(report=report, title=TITLE, why=why, open_parts=open_parts, seen=set())
    )


def student_text(report: Report) -> str:
    """Return the same for a terminal or an e-mail; it ends with a newline."""
    blocks = [f"{line(report.student)}: {number(report.points)} of {number(report.out_of)} points", TITLE]
    if not report.isolated:
        blocks.append(textwrap.fill(NOT_ISOLATED, WIDTH))
    if report.late:
        blocks.append(textwrap.fill(f"Late: {line(report.late)} (this costs no points here)", WIDTH))
    if report.open:
        blocks.append(textwrap.fill(f"These points are not final: {open_parts(report)}", WIDTH))
    blocks.append(_table(report))
    for title, sentences in (("What could not be used", report.refusals), ("What was repaired", report.repairs)):
        if sentences:
            blocks.append("\n".join([f"{title}:", *map(_item, sentences)]))
    seen: set[str] = set()
    blocks += [
        part_text(part, seen=seen) for part in report.parts if part.outcomes or part.diagnosis or part.taken_from
    ]
    return "\n\n".join(blocks) + "\n"


def open_parts(report: Report) -> str:
    """Return the parts that have no mark, each with the reason."""
    return "; ".join(f"{line(part.name)} is {line(part.note)}" for part in report.open)


def why(part: Part) -> str:
    """Return a few words on a part's points, for a table."""
    return line(part.note) or (tally(part) if part.outcomes else "")


def _table(report: Report) -> str:
    rows = [(line(part.name), f"{number(part.points)} of {number(part.out_of)}", why(part)) for part in report.parts]
    wide = max((len(name) for name, _, _ in rows), default=0)
    points = max((len(words) for _, words, _ in rows), default=0)
    made = []
    for name, words, reason in rows:
        head = f"{name:<{wide}}  {words:>{points}}  "
        made.append(
            textwrap.fill(reason, WIDTH, initial_indent=head, subsequent_indent=" " * len(head)) or head.rstrip()
        )
    return "\n".join(text.rstrip() for text in made)


def _item(sentence: str) -> str:
    return textwrap.fill(line(sentence), WIDTH, initial_indent="  - ", subsequent_indent="    ")
