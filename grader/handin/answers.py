"""The answers to questions and the predictions: what stands in the cells, read and not run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from durable_lab.lesson.questions import all_questions
from grader.handin import limits
from grader.handin.match import Copy
from grader.handin.notebook import Cell
from grader.handin.release import Lesson, Release, boxes_of, calls_of_question
from grader.handin.syntax import Source, Unreadable, readable


@dataclass(frozen=True)
class Answered:
    """`answers`: question -> letter. `refused`: question -> why what stands there is no answer."""

    answers: dict[str, str]
    refused: dict[str, str]
    said: tuple[str, ...]


@dataclass(frozen=True)
class _Given:
    """One answer. The surest and, of these, the last one counts."""

    letter: str  # "" where it is none; then `why` says why
    why: str
    where: str
    sure: int  # 2 in its own cell of a notebook that counts, 1 elsewhere in one, 0 in a copy


def answered(copies: Sequence[Copy], release: Release) -> Answered:
    """What was answered, each question once."""
    given: dict[str, list[_Given]] = {}
    code = 0
    for copy in copies:
        for cell in copy.book.cells:
            code += len(cell.source) if "question" in cell.source and cell.tidy not in release.texts else 0
            if code > limits.CODE:
                break
            own = release.asked.get(cell.id, frozenset())
            for name, answer in _in_cell(cell, own, release):
                sure = 0 if not copy.main else 2 if name in own else 1
                letter, why = _letter(name, answer)
                given.setdefault(name, []).append(_Given(letter, why, f"{copy.book.path}, cell {cell.number}", sure))
    answers, refused, said = {}, {}, []
    for name in sorted(given, key=list(all_questions()).index):
        letters = [one for one in given[name] if one.letter]
        if letters:
            best = max(reversed(letters), key=lambda one: one.sure)
            answers[name] = best.letter
            if {one.letter for one in letters} != {best.letter}:
                said.append(f"The question {name} is answered in several places; {best.where} counts.")
        else:
            last = given[name][-1]
            refused[name] = f"{last.why} ({last.where})"
    return Answered(answers, refused, tuple(said))


def too_new(copies: Iterable[Copy], release: Release) -> dict[str, str]:
    """ "questions" or "predictions" -> a cell of theirs that needs a newer Python, and which."""
    boxes = {box.cell for lesson in release.lessons.values() for box in lesson.boxes}
    found: dict[str, str] = {}
    for copy in copies:
        for cell in copy.book.cells:
            sorts = ["questions"] * (cell.id in release.asked) + ["predictions"] * (cell.id in boxes)
            if not sorts or not copy.main or cell.tidy in release.texts:
                continue
            try:
                readable(cell.source)
            except Unreadable as error:
                if error.newer:
                    found |= dict.fromkeys(sorts, f"{copy.book.path}, cell {cell.number}, {error}")
    return found


def _in_cell(cell: Cell, own: frozenset[str], release: Release) -> Iterator[tuple[str, ast.expr | str]]:
    """The questions that this cell answers, with what it says; a text where it cannot be read."""
    if "question" not in cell.source or cell.tidy in release.texts or not (own or cell.kind == "code"):
        return
    try:
        read = readable(cell.source)
    except Unreadable as error:
        yield from ((name, f"the cell {error}") for name in sorted(own))
        return
    for name, answer in calls_of_question(read.tree):
        open_ = answer is None or (isinstance(answer, ast.Constant) and answer.value is ...)
        if name in all_questions() and answer is not None and not open_:
            yield name, answer


def _letter(name: str, answer: ast.expr | str) -> tuple[str, str]:
    """The letter, or why it is none."""
    if isinstance(answer, str):
        return "", answer
    if not isinstance(answer, ast.Constant) or not isinstance(answer.value, str):
        return "", "the answer must be a letter in quotes"
    letter = answer.value.lower()
    return (letter, "") if letter in all_questions()[name]["choices"] else ("", "the answer is none of the choices")


def predicted(copies: Iterable[Copy], release: Release) -> dict[str, int]:
    """By notebook: how many of its prediction boxes are filled in. A box counts once, however often it was copied."""
    counted = dict.fromkeys(release.lessons, 0)
    for copy in copies:
        if copy.main and copy.lesson:
            counted[copy.lesson.stem] = _filled(copy, copy.lesson, release)
    return counted


def _filled(copy: Copy, lesson: Lesson, release: Release) -> int:
    filled: set[int] = set()
    homeless: list[tuple[str, str]] = []
    code = 0
    for cell in copy.book.cells:
        code += len(cell.source) if "predict" in cell.source else 0
        if code > limits.CODE:
            break
        at_home = cell.id in lesson.texts
        for name, words in _guesses(cell, at_home, release):
            own = [i for i, box in enumerate(lesson.boxes) if box.cell == cell.id and box.name == name]
            filled.update(own)
            homeless += [] if own else [(name, words)]
    for name, words in homeless:
        places = [i for i, box in enumerate(lesson.boxes) if box.name == name]
        exact = [i for i in places if lesson.boxes[i].words == words]
        filled.update([i for i in exact or places if i not in filled][:1])  # two boxes of a lesson may be worded alike
    return len(filled)


def _guesses(cell: Cell, at_home: bool, release: Release) -> list[tuple[str, str]]:
    if "predict" not in cell.source or cell.tidy in release.texts or not (at_home or cell.kind == "code"):
        return []
    try:
        read: Source = readable(cell.source)
    except Unreadable:
        return []
    return [(name, words) for name, words, filled in boxes_of(read) if filled]
