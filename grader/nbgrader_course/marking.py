"""The steps that replace nbgrader's execution: a report and a score for each graded cell, and the reasons."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from nbformat.v4 import new_output
from nbgrader import utils
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool, Integer

from durable_lab.todos import all_todos
from grader.display import line
from grader.nbgrader_course.cells import ESSAY, grade_id
from grader.nbgrader_course.prepare import engine_of, report_of
from grader.pages.part import NOT_ISOLATED, part_html, part_text
from grader.report import Part, Report

_ANSWERS = {part.function.split(".")[1]: todo.number for todo in all_todos().values() for part in todo.parts}
_REASON = 1_000  # characters of a comment


class RunForShow(NbGraderPreprocessor):
    """Runs the student's cells in the sandbox, so that an instructor sees their output. No mark comes from it."""

    enabled = Bool(False, help="Run students' notebooks, in the sandbox, for Formgrader to show.").tag(config=True)
    seconds = Integer(120, help="For one notebook; cells that are not done by then have no output.").tag(config=True)

    def preprocess(self, nb: Any, resources: Any) -> Any:
        from grader.nbgrader_course.show import run_for_show  # only if it is asked for: the import takes a second

        return run_for_show(nb, engine_of(*_submission(resources)), self.seconds), resources


class PutMarks(NbGraderPreprocessor):
    """Gives each graded cell the report on its part, and last the score, as a value that nbgrader reads."""

    def preprocess(self, nb: Any, resources: Any) -> Any:
        report = report_of(*_submission(resources))
        parts = {grade_id(part.name): part for part in report.parts}
        for cell in nb.cells:
            if utils.is_grade(cell) and not utils.is_solution(cell):
                most = float(cell.metadata.nbgrader["points"])
                cell.outputs = _outputs(parts.get(cell.metadata.nbgrader["grade_id"]), most, report)
        said = {"repairs": report.repairs, "refusals": report.refusals}
        nb.metadata["durable_lab"] = {name: [line(text) for text in texts] for name, texts in said.items()}
        nb.metadata["durable_lab"] |= {"isolated": report.isolated, "late": line(report.late)}
        return nb, resources


def _submission(resources: Any) -> tuple[Path, str, str]:
    """The course's folder, the student and the assignment."""
    about = resources["nbgrader"]
    return (
        Path(resources["metadata"]["path"]).parents[2],
        about["student"],
        about["assignment"],
    )  # autograded/ana/lab-01


def _outputs(part: Part | None, most: float, report: Report) -> list[Any]:
    if part is None:
        words = "The grader has no tests for this cell. A person gives its points."
        return [new_output("display_data", {"text/plain": words}), _score(0.0)]
    data = {"text/plain": part_text(part), "text/html": part_html(part)}
    warning = [] if report.isolated else [new_output("display_data", {"text/plain": NOT_ISOLATED})]
    return [*warning, new_output("display_data", data), _score(share(part) * most)]


def share(part: Part) -> float:
    """How much of a part is earned: 0 to 1, whatever the report says."""
    if not part.out_of or not math.isfinite(part.points):
        return 0.0
    return min(max(part.points / part.out_of, 0.0), 1.0)


def _score(points: float) -> Any:
    return new_output("execute_result", {"text/plain": f"{math.floor(points * 100 + 0.5) / 100:g}"})


class SaveReasons(NbGraderPreprocessor):
    """Puts into the gradebook why a part has no points, as a comment on the cell where it is written."""

    def preprocess(self, nb: Any, resources: Any) -> Any:
        about = resources["nbgrader"]
        where = about["notebook"], about["assignment"], about["student"]
        report = report_of(*_submission(resources))
        parts = {grade_id(part.name): part for part in report.parts}
        with Gradebook(about["db_url"]) as gradebook:
            for cell in nb.cells:
                id = cell.metadata.get("nbgrader", {}).get("grade_id", "")
                if utils.is_solution(cell) and (why := reason(parts.get(_todo(id)), report)):
                    gradebook.find_comment(id, *where).auto_comment = why
                elif utils.is_grade(cell) and id not in (*parts, ESSAY):
                    gradebook.find_grade(id, *where).needs_manual_grade = True
            gradebook.db.commit()
        return nb, resources


def _todo(id: str) -> str:
    """The graded part that an answer cell belongs to: "answer-05-wait_signal" -> "todo-3"."""
    name = id.split("-", 2)[-1] if id.startswith("answer-") else ""
    return grade_id(f"TODO {_ANSWERS[name]}") if name in _ANSWERS else ""


def reason(part: Part | None, report: Report) -> str:
    """Why this part has no points, in a sentence or two; empty if it has some, or if the tests say why."""
    if part is None or part.points:
        return ""
    words = [part.note, *(() if part.outcomes else report.refusals)]
    return line(" ".join(text for text in dict.fromkeys(words) if text), _REASON)
