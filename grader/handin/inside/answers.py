"""The answers to questions and the predictions that stand in the cells."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from grader.handin.inside.cells import Content
from grader.handin.inside.document import Answer, Place
from grader.handin.inside.lab import Lab, Lesson


@dataclass(frozen=True)
class Answers:
    """`given`: question -> what counts. `refused`: question -> why what stands there is no answer."""

    given: dict[str, Answer]
    refused: dict[str, str]
    said: tuple[str, ...]


@dataclass(frozen=True)
class _Given:
    """One answer. Of the most certain ones, the last counts."""

    letter: str  # "" if it is none; then `why` says why
    why: str
    place: Place
    certain: int  # 2 in its own cell of a notebook that counts, 1 elsewhere in one, 0 in a copy


def answered(contents: Sequence[Content], lab: Lab) -> Answers:
    """What was answered, each question once."""
    all_given: dict[str, list[_Given]] = {}
    for content in contents:
        own = lab.asked.get(content.cell.id, frozenset())
        for name, letter, why in _answers(content, own, lab):
            certain = 0 if not content.notebook.main else 2 if name in own else 1
            all_given.setdefault(name, []).append(_Given(letter, why, content.place, certain))
    given, refused, said = {}, {}, []
    for name in sorted(all_given, key=list(lab.questions).index):
        letters = [one for one in all_given[name] if one.letter]
        if letters:
            best = max(reversed(letters), key=lambda one: one.certain)
            given[name] = Answer(best.letter, best.place)
            if {one.letter for one in letters} != {best.letter}:
                said.append(f"The question {name} is answered in several places; {best.place} counts.")
        else:
            last = all_given[name][-1]
            refused[name] = f"{last.why} ({last.place})"
    return Answers(given, refused, tuple(said))


def _answers(content: Content, own: frozenset[str], lab: Lab) -> list[tuple[str, str, str]]:
    """The questions that a cell answers, each with the letter, or with why it is none."""
    if content.error and "question" in content.cell.source and not content.released:
        return [(name, "", f"the cell {content.error}") for name in sorted(own)]
    return [
        (name, *_letter(name, answer, lab))
        for name, answer in content.questions
        if name in lab.questions
        and answer is not None
        and not (isinstance(answer, ast.Constant) and answer.value is ...)
    ]


def _letter(name: str, answer: ast.expr, lab: Lab) -> tuple[str, str]:
    if not isinstance(answer, ast.Constant) or not isinstance(answer.value, str):
        return "", "the answer must be a letter in quotes"
    letter = answer.value.lower()
    is_choice = len(letter) == 1 and letter in lab.questions[name]
    return (letter, "") if is_choice else ("", "the answer is none of the choices")


def predicted(contents: Sequence[Content], lab: Lab) -> dict[str, tuple[Place, ...]]:
    """By lesson: the places of its boxes that are filled in. A box counts once, however often it was copied."""
    mine: dict[str, list[Content]] = {stem: [] for stem in lab.lessons}
    for content in contents:
        if content.notebook.main and content.boxes:
            mine[content.notebook.lesson].append(content)
    return {stem: _filled(mine[stem], lesson) for stem, lesson in lab.lessons.items()}


def _filled(contents: Sequence[Content], lesson: Lesson) -> tuple[Place, ...]:
    filled: dict[int, Place] = {}  # by the box's number
    elsewhere: list[tuple[str, str, Place]] = []
    for content in contents:
        for name, words in content.boxes:
            own = [i for i, box in enumerate(lesson.boxes) if box.cell == content.cell.id and box.name == name]
            filled |= dict.fromkeys(own, content.place)
            elsewhere += [] if own else [(name, words, content.place)]
    for name, words, place in elsewhere:
        boxes = [i for i, box in enumerate(lesson.boxes) if box.name == name]
        exact = [i for i in boxes if lesson.boxes[i].words == words]
        # Two boxes of a lesson may be worded alike.
        filled |= dict.fromkeys([i for i in exact or boxes if i not in filled][:1], place)
    return tuple(filled[i] for i in sorted(filled))


def too_new(contents: Sequence[Content], lab: Lab) -> dict[str, str]:
    """ "questions" or "predictions" -> a cell of theirs that needs a newer Python, and which."""
    found: dict[str, str] = {}
    for content in contents:
        id_ = content.cell.id
        sorts = ["questions"] * (id_ in lab.asked) + ["predictions"] * (id_ in lab.with_boxes)
        if sorts and content.notebook.main and not content.released and content.error and content.error.newer:
            found |= dict.fromkeys(sorts, f"{content.place}, {content.error}")
    return found
