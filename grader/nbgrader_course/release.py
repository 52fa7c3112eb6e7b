"""What nbgrader's `generate_assignment` does to a TODO cell of ours: the answer gives way to the lab's own stub."""

from __future__ import annotations

from typing import Any

from nbgrader.preprocessors import ClearSolutions
from nbgrader.utils import is_solution

from grader.nbgrader_course.cells import without_answer


class ClearAnswers(ClearSolutions):
    """nbgrader's own preprocessor knows one stub a language; ours says which TODO it is, and how big."""

    def preprocess_cell(self, cell: Any, resources: Any, cell_index: int) -> Any:
        if cell.cell_type == "code" and is_solution(cell):
            cell.source = without_answer(cell.source)
            return cell, resources
        return super().preprocess_cell(cell, resources, cell_index)
