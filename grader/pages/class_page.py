"""The class report: one page that works offline and prints well, with a table beside each plot."""

from __future__ import annotations

from grader.book import Book
from grader.display import line
from grader.pages import statistics
from grader.pages.part import templates
from grader.pages.student_page import TITLE, open_parts


def class_html(book: Book, feedback: dict[str, str] | None = None) -> str:
    """Return the page. `feedback` has, by student, the path of their own page relative to this one."""
    reports = book.reports
    return (
        templates()
        .get_template("class.html.j2")
        .render(
            title=TITLE,
            book=book,
            feedback=feedback or {},
            summary=statistics.summary(reports),
            bins=statistics.bins(reports),
            parts=statistics.parts(reports),
            tests=statistics.tests(reports),
            rules=statistics.rules(reports),
            unwritten=statistics.unwritten(reports),
            beliefs=statistics.beliefs(reports),
            repaired=statistics.repaired(book),
            refused=statistics.refused(book),
            notes=statistics.notes(book),
            late=statistics.remarks((r.student, line(r.late)) for r in reports if r.late),
            not_isolated_students=[r.student for r in reports if not r.isolated],
            open_parts=open_parts,
        )
    )
