"""The assignment: the seven lessons, with nbgrader's metadata that says which cells are graded, and their points."""

from __future__ import annotations

import re
import textwrap
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell

from durable_lab import source, stubs
from durable_lab.study import ROOT
from durable_lab.todos import all_todos
from grader.handin.release import handed_out
from grader.rubric import weights

LAST = "06_sagas"  # the lesson with the graded cells of the whole lab
ESSAY = "essay"

_CHECK = re.compile(r"check\((\d*)\)")
_TODO = re.compile(r"@todo\((\d+)\)\ndef (\w+)\(")

QUESTION = """\
## In your own words

A person reads this answer. Kim's refund was killed right after the bank had paid. The bank's auditor asks you why she
was paid once, and not twice. Answer in six to ten sentences: what does your engine promise, what must the bank do, and
in which case would Kim still be paid twice?"""
MODEL_ANSWER = """\
*For instructors; students get an empty cell.* The payment was made, but not recorded, so the engine runs it again (at
least once, R11), with the same idempotency key, because the key follows from the run's id and the position in history.
The bank knows the key and pays nothing. She is paid twice if the bank does not check keys or has forgotten them, if the
key is different for each attempt, or if the history is lost."""
LESSON_POINTS = "## Points for your answers\n\nYour instructor's grader fills in the next two cells."
QUESTIONS = "# The questions of all seven lessons:\n# each right answer earns its share."
PREDICTIONS = "# The predictions of all seven lessons:\n# each box that is filled in earns its share, right or wrong."


def grade_id(part: str) -> str:
    """Return the id of the cell of a part of the rubric: "todo-3" for "TODO 3". It never changes."""
    return part.lower().replace(" ", "-")


def points() -> dict[str, float]:
    """Return the most points of each graded cell, by its id."""
    table = weights()
    made = {f"TODO {number}": table["todo"][str(number)] for number in all_todos()}
    made |= {"whole engine": table["whole"]["points"], **table["lessons"], ESSAY: table["manual"]["essay"]}
    return {grade_id(part): float(most) for part, most in made.items()}


def notebooks() -> dict[str, Any]:
    """Return the instructor's version of each notebook, by name: with answers, between nbgrader's markers."""
    methods = (ROOT / "solution" / "engine.py").read_text(encoding="utf-8")
    made = {stem: nbformat.reads(text, as_version=4) for stem, text in handed_out().items()}
    seen: set[str] = set()
    for name, book in made.items():
        for cell in book.cells:
            _mark(cell, name, methods, seen)
    made[LAST].cells[-1:-1] = _last_cells()  # before "Restart and run all"
    for name, book in made.items():
        nbformat.validate(book)
        assert len({cell.id for cell in book.cells}) == len(book.cells), name
    return made


def _mark(cell: Any, book: str, methods: str, seen: set[str]) -> None:
    """Put the answer into a TODO cell, and metadata into TODO and check cells. Only the first `check(1)` is graded."""
    if cell.cell_type != "code":
        return
    if check := _CHECK.fullmatch(cell.source):
        id = grade_id(f"TODO {check[1]}" if check[1] else "whole engine")
        if id not in seen:
            cell.metadata["nbgrader"] = _graded(id)
        seen.add(id)
    elif todo := _TODO.match(cell.source):
        function = next(p.function for p in all_todos()[int(todo[1])].parts if p.function.split(".")[1] == todo[2])
        cell.source = f"@todo({todo[1]})\n{_answer(methods, function)}"
        cell.metadata["nbgrader"] = _metadata(f"answer-{book[:2]}-{todo[2]}", solution=True)


def _answer(methods: str, function: str) -> str:
    """Return the method with its markers. `text_of` leaves out the last one, a comment after the last statement."""
    text = source.text_of(methods, function)
    if text.count(stubs.BEGIN) > text.count(stubs.END):
        begin = next(line for line in reversed(text.splitlines()) if stubs.BEGIN in line)
        text = f"{text}\n{begin.replace(stubs.BEGIN, stubs.END)}"
    return textwrap.dedent(text)


def _last_cells() -> list[Any]:
    cells = [
        (new_markdown_cell, QUESTION, _metadata("essay-question", locked=True)),
        (new_markdown_cell, MODEL_ANSWER, {**_graded(ESSAY), "locked": False, "solution": True}),
        (new_markdown_cell, LESSON_POINTS, _metadata("lesson-points", locked=True)),
        (new_code_cell, QUESTIONS, _graded("questions")),
        (new_code_cell, PREDICTIONS, _graded("predictions")),
    ]
    return [new(text, id=about["grade_id"], metadata={"nbgrader": about}) for new, text, about in cells]


def _graded(id: str) -> dict[str, Any]:
    return {**_metadata(id, grade=True, locked=True), "points": points()[id]}


def _metadata(id: str, **kind: bool) -> dict[str, Any]:
    kinds = {"grade": False, "solution": False, "locked": False, "task": False}
    return {"grade_id": id, "schema_version": 3, **kinds, **kind}


def without_answer(cell: str) -> str:
    """Return a TODO cell's source with the stub in place of the answer. Raises StubError if nothing would be cut."""
    first, _, method = cell.partition("\n")
    name = next(iter(source.functions(method)), "")
    parts = [part.function for todo in all_todos().values() for part in todo.parts]
    owner = next((part.split(".")[0] for part in parts if part.split(".")[1] == name), "Nothing")
    given = f"class {owner}:\n{textwrap.indent(method, '    ')}\n"
    made = stubs.strip_answers(given, f"the cell of {name or 'no function'}")
    if made == given:
        raise stubs.StubError(f"the cell of {name or 'no function'} has no {stubs.BEGIN}, so nothing would be cut")
    return stubs.narrow(f"{first}\n{textwrap.dedent(made.partition(chr(10))[2]).rstrip()}")
