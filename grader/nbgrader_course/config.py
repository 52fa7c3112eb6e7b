"""nbgrader's settings for a course of this lab: which of its steps this folder replaces."""

from __future__ import annotations

from pathlib import Path

from nbgrader.server_extensions import formgrader
from traitlets.config import Config

from grader.nbgrader_course.names import ASSIGNMENT, EXCHANGE, beside

TEMPLATES = Path(__file__).with_name("templates")


def settings(folder: Path, name: str, exchange: Path | None = None) -> Config:
    """Return the settings of the course `name` in this folder."""
    c = Config()
    c.CourseDirectory.root = str(folder.resolve())
    c.CourseDirectory.course_id = name
    c.Exchange.root = str(exchange or folder.resolve() / EXCHANGE)
    c.ExchangeFactory.collect = "grader.nbgrader_course.exchange.Collect"
    c.ExchangeFactory.release_assignment = "grader.nbgrader_course.exchange.Release"
    c.GenerateAssignment.preprocessors = [
        "nbgrader.preprocessors.IncludeHeaderFooter",
        "nbgrader.preprocessors.LockCells",
        "grader.nbgrader_course.release.ClearAnswers",
        "nbgrader.preprocessors.ClearOutput",
        "nbgrader.preprocessors.CheckCellMetadata",
        "nbgrader.preprocessors.ComputeChecksums",
        "nbgrader.preprocessors.SaveCells",
        "nbgrader.preprocessors.ComputeChecksums",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]
    _autograde(c)
    _pages(c)
    return c


def _autograde(c: Config) -> None:
    """nbgrader gets repaired files, and runs no code of students for marks."""
    c.Autograde.pre_convert_hook = "grader.nbgrader_course.prepare.before_autograde"
    c.Autograde.post_convert_hook = "grader.nbgrader_course.prepare.after_autograde"
    c.Autograde.exclude_overwriting = {ASSIGNMENT: beside()}
    c.Autograde.autograde_preprocessors = [
        "grader.nbgrader_course.marking.RunForShow",
        "grader.nbgrader_course.marking.PutMarks",
        "nbgrader.preprocessors.SaveAutoGrades",
        "grader.nbgrader_course.marking.SaveReasons",
        "nbgrader.preprocessors.AssignLatePenalties",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]


def _pages(c: Config) -> None:
    """Pages fetch nothing, and what students wrote is sanitised. Formgrader uses nbconvert's HTMLExporter."""
    c.GenerateFeedback.exporter_class = "grader.nbgrader_course.page.FeedbackExporter"
    c.GenerateFeedback.preprocessors = ["nbgrader.preprocessors.GetGrades", "grader.nbgrader_course.page.GetTable"]
    c.FormgradeExtension.debug = False
    # TEMPLATES comes first: its mathjax.html.j2 replaces the one that loads MathJax from the network.
    theirs = Path(formgrader.__file__).with_name("templates")
    c.HTMLExporter.extra_template_basedirs = [str(TEMPLATES), str(theirs)]
    c.HTMLExporter.sanitize_html = True
    c.HTMLExporter.exclude_anchor_links = True  # else a student's heading could get the id of a score box
    c.HTMLExporter.filters = {
        "markdown2html": "grader.nbgrader_course.clean.markdown_filter",
        "clean_html": "grader.nbgrader_course.clean.html",
    }
