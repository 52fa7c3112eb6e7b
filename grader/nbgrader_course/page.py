"""The feedback page of one notebook: points, reasons, and the notebook. It fetches nothing and runs nothing."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup
from nbconvert.exporters import Exporter
from nbconvert.filters import Highlight2HTML, ansi2html
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor
from pygments.formatters import HtmlFormatter

from durable_lab.todos import all_todos
from grader.display import number
from grader.nbgrader_course import clean
from grader.nbgrader_course.cells import grade_id
from grader.pages.part import environment

_NAMES = {grade_id(f"TODO {todo.number}"): f"TODO {todo.number}: {todo.title}" for todo in all_todos().values()}
_NAMES |= {"whole-engine": "The whole engine on the 14 tests", "questions": "Questions", "predictions": "Predictions"}
_NAMES |= {"essay": "In your own words"}
_KINDS = ("text/html", "image/png", "image/jpeg", "text/plain")  # the first that an output has is shown


class GetTable(NbGraderPreprocessor):
    """Puts the gradebook's points for the whole assignment into `resources["table"]`."""

    def preprocess(self, nb: Any, resources: Any) -> Any:
        about = resources["nbgrader"]
        with Gradebook(about["db_url"]) as gradebook:
            submission = gradebook.find_submission(about["assignment"], about["student"])
            grades = [(book.name, grade) for book in submission.notebooks for grade in book.grades]
            rows = [_row(book, grade, about["notebook"]) for book, grade in grades]
            resources["total"] = {"points": submission.score, "out_of": submission.max_score}
        resources["table"] = sorted(rows, key=lambda row: [*_NAMES, row["id"]].index(row["id"]))
        return nb, resources


def _row(book: str, grade: Any, here: str) -> dict[str, Any]:
    by_hand = grade.manual_score is not None or bool(grade.extra_credit)
    return {
        "id": grade.name,
        "name": _NAMES.get(grade.name, grade.name),
        "points": grade.score,
        "out_of": grade.max_score,
        "word": _word(grade),
        "by_hand": by_hand,
        "link": f"#{grade.name}" if book == here else "",
        "book": book,
    }


def _word(grade: Any) -> str:
    if grade.needs_manual_grade and grade.manual_score is None:
        return "not graded yet"
    if not grade.max_score:
        return "no points to earn"
    share = grade.score / grade.max_score
    return "full" if share >= 1 else "none" if share <= 0 else "partly"


class FeedbackExporter(Exporter):
    """Makes a page that contains its style, escapes all text, and has no scripts, external links or files to load."""

    file_extension = ".html"
    output_mimetype = "text/html"

    def from_notebook_node(self, nb: Any, resources: Any = None, **kw: Any) -> Any:
        nb, resources = super().from_notebook_node(nb, resources, **kw)
        page = _template().render(
            book=nb,
            cells=[cell for cell in nb.cells if cell.source.strip() or cell.get("outputs")],
            about=resources["nbgrader"],
            said=nb.metadata.get("durable_lab", {}),
            table=resources.get("table", []),
            total=resources.get("total"),
        )
        return page, resources


@cache
def _template() -> jinja2.Template:
    made = environment(Path(__file__).with_name("templates"))
    made.filters.update(code=_code, markdown=_markdown, shown=_shown, share=_share, name=lambda id: _NAMES.get(id, id))
    made.globals["colours"] = Markup(HtmlFormatter(style="default").get_style_defs(".highlight"))
    return made.get_template("feedback/page.html.j2")


def _share(given: tuple[float, float]) -> str:
    """Return `8.4 of 14`; for extra points only the points."""
    points, out_of = given
    return f"{number(points)} of {number(out_of)}" if out_of else number(points)


@lru_cache(2_000)  # most cells are the same for all students
def _code(source: str) -> Markup:
    return Markup(Highlight2HTML(pygments_lexer="ipython3")(clean.text(source)))


def _markdown(cell: Any) -> Markup:
    if pictures := clean.attachments(cell.get("attachments")):
        return Markup(clean.markdown(cell.source, pictures))
    return _words(cell.source)


@lru_cache(2_000)
def _words(source: str) -> Markup:
    return Markup(clean.markdown(source))


def _shown(output: Any) -> Markup:
    """Return one output as HTML, sanitised once more."""
    if output.output_type == "stream":
        return _pre(output.text)
    if output.output_type == "error":
        return _pre("\n".join(output.traceback))
    kind = next((kind for kind in _KINDS if kind in output.data), "")
    value = output.data.get(kind, "")
    if kind == "text/html":
        return Markup(clean.html(value))
    if kind.startswith("image/") and clean.picture(kind, value):
        words = clean.text(output.data.get("text/plain", "a picture"), 2_000)
        return Markup('<img alt="{}" src="data:{};base64,{}">').format(words, kind, value)
    return _pre(output.data.get("text/plain", ""))


def _pre(words: str) -> Markup:
    return Markup(f"<pre>{ansi2html(clean.text(words))}</pre>")
