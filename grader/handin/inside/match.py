"""Which notebook is which lesson, and which cell is which: by names, by text and by what was found in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from grader.handin.inside.cells import Content
from grader.handin.inside.document import Notebook
from grader.handin.inside.lab import Lab, Lesson

_ENOUGH = 3  # so many cells in common are no accident


def matched(notebooks: Sequence[Notebook], lab: Lab) -> tuple[list[Notebook], list[str]]:
    """The notebooks with their lessons, the ones that count first, in the order of the lessons; what was put right."""
    by_lesson: dict[str, list[Notebook]] = {stem: [] for stem in ("", *lab.lessons)}
    for notebook in notebooks:
        stem = _lesson_of(notebook, lab)
        by_lesson[stem].append(replace(notebook, lesson=stem))
    own = by_lesson.pop("")
    main, others, repairs = [], [], list[str]()
    for stem, copies in by_lesson.items():
        if not copies:
            continue
        copies.sort(key=lambda copy: (not _changed(copy, lab), not _is_named(copy), copy.path))
        best = replace(copies[0], main=True)
        main.append(best)
        others += copies[1:]
        if not _is_named(best):
            repairs.append(f"{best.path} was taken as {stem}.ipynb: it has the cells of this notebook.")
        for copy in copies[1:]:
            repairs.append(
                f"{copy.path} is another copy of {stem}.ipynb: "
                f"{best.path} counts, and the copy only where that one has nothing."
            )
        repairs += _order(best, lab.lessons[stem])
    return [*main, *others, *own], repairs


def lesson_named(path: str, lab: Lab) -> str:
    """The lesson in a file's name, also in `Copy of 03_determinism (1).ipynb`; "" if there is none."""
    name = _letters(path.rpartition("/")[2])
    return next((stem for stem in lab.lessons if _letters(stem) in name), "")


def _lesson_of(notebook: Notebook, lab: Lab) -> str:
    scores = dict.fromkeys(lab.lessons, 0)
    for cell in notebook.cells:
        if owner := lab.owners.get(cell.id):
            scores[owner.stem] += 1
        elif stem := lab.telling.get(cell.tidy):
            scores[stem] += 1
    best = max(scores, key=lambda stem: scores[stem], default="")
    return best if best and scores[best] >= _ENOUGH else lesson_named(notebook.path, lab)


def _is_named(notebook: Notebook) -> bool:
    return notebook.path.rpartition("/")[2] == f"{notebook.lesson}.ipynb"


def _changed(notebook: Notebook, lab: Lab) -> bool:
    """Whether the student has worked on it."""
    return any(cell.source.strip() and cell.tidy not in lab.texts for cell in notebook.cells)


def _order(notebook: Notebook, lesson: Lesson) -> list[str]:
    orders = {id_: order for order, id_ in enumerate(lesson.texts)}
    order = list(dict.fromkeys(orders[cell.id] for cell in notebook.cells if cell.id in orders))
    if not order:
        return [f"The cells of {notebook.path} have lost their ids; they were matched by their content."]
    if order != sorted(order):
        return [f"The cells of {notebook.path} are in another order, which changes nothing."]
    return []


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


# ------------------------------------------------------------ which cell is which


def with_cells(notebooks: Sequence[Notebook], contents: Sequence[Content], lab: Lab) -> tuple[Notebook, ...]:
    """The notebooks with the released cell that each cell of a lesson stands for."""
    made = []
    for notebook in notebooks:
        if notebook.lesson:
            its = [content for content in contents if content.notebook is notebook]
            ids = _released_cells(its, lab.lessons[notebook.lesson])
            cells = tuple(replace(cell, stands_for=ids.get(cell.number, "")) for cell in notebook.cells)
            notebook = replace(notebook, cells=cells)
        made.append(notebook)
    return tuple(made)


def _released_cells(contents: Sequence[Content], lesson: Lesson) -> dict[int, str]:
    """The id of the released cell that each cell is, by number: by its names, its text, its content, its place."""
    found: dict[int, str] = {}
    for content in contents:
        cell = content.cell
        if id_ := cell.id if cell.id in lesson.texts else lesson.grade_ids.get(cell.grade_id, ""):
            found[cell.number] = id_
    texts = {text: id_ for id_, text in reversed(lesson.texts.items()) if id_ not in found.values()}
    for content in contents:
        cell = content.cell
        if cell.number not in found and (id_ := texts.pop(cell.tidy, "") or _by_content(content, lesson)):
            found[cell.number] = id_
    return {**dict(_gaps(contents, lesson, found)), **found}


def _by_content(content: Content, lesson: Lesson) -> str:
    """The released cell with the same TODO, question or prediction."""
    cells = {part: id_ for id_, part in lesson.todos.items()}
    found = [cells.get(method.part, "") for method in content.methods]
    found += [lesson.questions.get(name, "") for name, _ in content.questions]
    boxes = {(box.name, box.words): box.cell for box in lesson.boxes}
    found += [boxes.get(box, "") for box in content.boxes]
    return next(filter(None, found), "")


def _gaps(contents: Sequence[Content], lesson: Lesson, found: Mapping[int, str]) -> Iterator[tuple[int, str]]:
    """Between two cells that are known: as many unknown ones of the same kinds as the lesson has there."""
    ids = list(lesson.texts)
    orders = {id_: order for order, id_ in enumerate(ids)}
    cells = [content.cell for content in contents]
    known = [(-1, -1), *((i, orders[found[c.number]]) for i, c in enumerate(cells) if c.number in found)]
    known.append((len(cells), len(ids)))
    taken = set(found.values())
    for (here, there), (here_end, there_end) in pairwise(known):
        mine = [cell for cell in cells[here + 1 : here_end] if cell.source.strip()]
        theirs = [id_ for id_ in ids[there + 1 : there_end] if id_ not in taken]
        if there < there_end and [cell.kind for cell in mine] == [lesson.kinds[id_] for id_ in theirs]:
            yield from ((cell.number, id_) for cell, id_ in zip(mine, theirs, strict=True))
