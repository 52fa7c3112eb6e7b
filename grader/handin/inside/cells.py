"""What stands in the cells of a submission's notebooks. Each cell is parsed once; all later steps use what is found."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from grader.handin.inside.document import BY_COPY, BY_ID, BY_MARK, BY_NAME, Cell, Notebook, Place
from grader.handin.inside.lab import Lab
from grader.handin.inside.lesson import boxes_of, calls_of_question
from grader.handin.inside.methods import Method, in_cell, stub
from grader.handin.inside.syntax import Source, Unreadable, readable

_DECORATED = re.compile(r"^[ \t]*@todo[ \t]*\(", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(```|~~~).*$", re.MULTILINE)


@dataclass(frozen=True, eq=False)
class Content:
    """What was found in one cell. `source` is None if it was not parsed, or if that failed: then `error` says why."""

    notebook: Notebook
    cell: Cell
    released: bool  # its text is one that was handed out
    methods: tuple[Method, ...] = ()
    source: Source | None = None
    error: Unreadable | None = None
    questions: tuple[tuple[str, ast.expr | None], ...] = ()
    boxes: tuple[tuple[str, str], ...] = ()  # that are filled in: the name, and the words behind it

    @property
    def place(self) -> Place:
        return self.notebook.place(self.cell)


def contents(notebooks: Sequence[Notebook], lab: Lab) -> list[Content]:
    """What is in the cells of these notebooks, in their order."""
    cells = ((notebook, cell) for notebook in notebooks for cell in notebook.cells)
    return [_content(notebook, cell, order, lab) for order, (notebook, cell) in enumerate(cells)]


def _content(notebook: Notebook, cell: Cell, order: int, lab: Lab) -> Content:
    lesson = lab.owners.get(cell.id)
    wanted = lesson.todos.get(cell.id) if lesson else None
    place, released = notebook.place(cell), cell.tidy in lab.texts
    here = Content(notebook, cell, released)
    if wanted and lesson and cell.tidy == lesson.texts[cell.id]:
        found = replace(stub(lab, wanted), place=place, found=BY_ID)
        return replace(here, methods=_counted([found], notebook, order, lab))
    marked = bool(_DECORATED.search(cell.source))
    lessons = "question" in cell.source or "predict" in cell.source
    if not wanted and (released or not (cell.kind == "code" or marked or (lesson and lessons))):
        return here
    is_code = cell.kind == "code"
    text = cell.source if is_code else _FENCE.sub("", cell.source)
    try:
        source = readable(text)
    except Unreadable as error:
        methods = _broken(text, place, wanted, error, lab) if is_code or wanted or marked else []
        methods = [replace(method, runs=marked and is_code) for method in methods]
        return replace(here, methods=_counted(methods, notebook, order, lab), error=error)
    notes = () if is_code else (f"its cell is of type {cell.kind[:20]}, and counts all the same",)
    methods = [
        replace(method, runs=method.runs and is_code, notes=(*notes, *source.notes, *method.notes))
        for method in (in_cell(source, place, wanted, lab) if is_code or wanted or marked else ())
    ]
    return replace(
        here,
        methods=_counted(methods, notebook, order, lab),
        source=source,
        questions=tuple(calls_of_question(source.tree)) if "question" in text and not released else (),
        boxes=tuple(box[:2] for box in boxes_of(source) if box[2]) if "predict" in text and not released else (),
    )


def _broken(text: str, place: Place, wanted: str | None, error: Unreadable, lab: Lab) -> list[Method]:
    """The TODO functions that a cell which cannot be parsed seems to hold."""
    names = {lab.methods[name] for name in lab.written_here.findall(text)} or ({wanted} if wanted else set())
    return [
        Method(part, place, why=str(error), newer=error.newer, found=BY_ID if part == wanted else BY_MARK)
        for part in lab.parts
        if part in names
    ]


def _counted(methods: Sequence[Method], notebook: Notebook, order: int, lab: Lab) -> tuple[Method, ...]:
    """Those that may count, with how they were found."""
    made = []
    for method in methods:
        if notebook.main:
            at_home = bool(notebook.lesson) and method.part in lab.lessons[notebook.lesson].todos.values()
            found = method.found if method.found != BY_NAME or at_home else ""
        else:
            found = BY_COPY if method.found in (BY_ID, BY_MARK) else ""
        if found:
            made.append(replace(method, found=found, scope=notebook.path, order=order))
    return tuple(made)
