"""Which notebook is which: by its cells, whatever its file is called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from grader.handin.notebook import Notebook
from grader.handin.release import Lesson, Release

_ENOUGH = 3  # so many cells in common are no accident


@dataclass(frozen=True)
class Copy:
    """A notebook of the hand-in. `lesson` is None where it is the student's own; `main`: it is the one that counts."""

    book: Notebook
    lesson: Lesson | None
    main: bool = True


def matched(books: Sequence[Notebook], release: Release) -> tuple[list[Copy], list[str]]:
    """Each notebook with its lesson, the ones that count first and in the order of the lessons; what was put right."""
    found = [(book, _lesson_of(book, release)) for book in books]
    copies, repairs = [], []
    for lesson in release.lessons.values():
        same = [book for book, its in found if its is lesson]
        same.sort(key=lambda book: (not _changed(book, release), not _is_named(book, lesson), book.path))
        copies += [Copy(book, lesson, main=i == 0) for i, book in enumerate(same)]
        if same and not _is_named(same[0], lesson):
            repairs.append(f"{same[0].path} was taken as {lesson.stem}.ipynb: it has the cells of this notebook.")
        for book in same[1:]:
            repairs.append(
                f"{book.path} is another copy of {lesson.stem}.ipynb: "
                f"{same[0].path} counts, and the copy only where that one has nothing."
            )
        if same:
            repairs += _order(same[0], lesson)
    own = [Copy(book, None, main=False) for book, lesson in found if lesson is None]
    return [*(copy for copy in copies if copy.main), *(copy for copy in copies if not copy.main), *own], repairs


def lesson_named(path: str, release: Release) -> Lesson | None:
    """The lesson that a file's name speaks of, also in `Copy of 03_determinism (1).ipynb`."""
    name = _letters(path.rpartition("/")[2])
    return next((lesson for lesson in release.lessons.values() if _letters(lesson.stem) in name), None)


def _lesson_of(book: Notebook, release: Release) -> Lesson | None:
    scores = dict.fromkeys(release.lessons, 0)
    for cell in book.cells:
        if (owner := release.owners.get(cell.id)) is not None:
            scores[owner.stem] += 1
        elif stem := release.telling.get(cell.tidy):
            scores[stem] += 1
    best = max(scores, key=lambda stem: scores[stem], default="")
    named = lesson_named(book.path, release)
    return release.lessons[best] if best and scores[best] >= _ENOUGH else named


def _is_named(book: Notebook, lesson: Lesson) -> bool:
    return book.path.rpartition("/")[2] == f"{lesson.stem}.ipynb"


def _changed(book: Notebook, release: Release) -> bool:
    """Has anybody worked on it?"""
    return any(cell.source.strip() and cell.tidy not in release.texts for cell in book.cells)


def _order(book: Notebook, lesson: Lesson) -> list[str]:
    places = {id_: place for place, id_ in enumerate(lesson.texts)}
    if not book.has_ids or not any(cell.id in places for cell in book.cells):
        return [f"The cells of {book.path} have lost their names; they were found by what stands in them."]
    order = list(dict.fromkeys(places[cell.id] for cell in book.cells if cell.id in places))
    return (
        [f"The cells of {book.path} stand in another order, which changes nothing."] if order != sorted(order) else []
    )


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())
