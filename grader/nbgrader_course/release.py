"""A step of nbgrader's `generate_assignment`: the lab's own stub replaces the answer in a TODO cell."""

from __future__ import annotations

from typing import Any

from nbgrader.preprocessors import ClearSolutions
from nbgrader.utils import is_solution

from grader.nbgrader_course.cells import without_answer


class ClearAnswers(ClearSolutions):
    """nbgrader's own preprocessor has one stub for each language; the lab's says which TODO it is, and its size."""

    def preprocess_cell(self, cell: Any, resources: Any, cell_index: int) -> Any:
        if cell.cell_type == "code" and is_solution(cell):
            cell.source = without_answer(cell.source)
            return cell, resources
        return super().preprocess_cell(cell, resources, cell_index)
