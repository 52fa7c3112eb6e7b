"""What was handed out, which a submission is compared with, and the reference that is substituted. It comes as JSON."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class Box:
    """A place for a prediction: `name = predict(...)  # words`."""

    cell: str
    name: str
    words: str


@dataclass(frozen=True)
class Lesson:
    """One notebook as handed out."""

    stem: str
    texts: dict[str, str]  # cell id -> its text, tidied, in the order of the cells
    kinds: dict[str, str]  # cell id -> its kind
    grade_ids: dict[str, str]  # nbgrader's name for a cell -> cell id
    names: frozenset[str]  # what its cells define
    todos: dict[str, str]  # cell id -> the function that is written there
    questions: dict[str, str]  # question -> cell id
    boxes: tuple[Box, ...]


@dataclass(frozen=True, eq=False)
class Lab:
    """The lessons by stem, in their order; `todos` and their functions in the order of work; sources of two engines."""

    lessons: dict[str, Lesson]
    todos: dict[int, tuple[str, ...]]
    questions: dict[str, str]  # question -> the letters of its choices
    skeleton: str
    reference: str
    parts: dict[str, int] = field(init=False)  # "Context.now" -> its TODO
    methods: dict[str, str] = field(init=False)  # "now" -> "Context.now"; the names are all different

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", {part: number for number, parts in self.todos.items() for part in parts})
        object.__setattr__(self, "methods", {part.rpartition(".")[2]: part for part in self.parts})

    @cached_property
    def owners(self) -> dict[str, Lesson]:
        """Cell id -> its lesson."""
        return {id_: lesson for lesson in self.lessons.values() for id_ in lesson.texts}

    @cached_property
    def texts(self) -> Counter[str]:
        """All texts of released cells, tidied, and in how many lessons each stands."""
        return Counter(text for lesson in self.lessons.values() for text in set(lesson.texts.values()) if text)

    @cached_property
    def telling(self) -> dict[str, str]:
        """A text that stands in one lesson only -> the stem of this lesson."""
        texts = ((text, stem) for stem, lesson in self.lessons.items() for text in lesson.texts.values())
        return {text: stem for text, stem in texts if self.texts[text] == 1}

    @cached_property
    def asked(self) -> dict[str, frozenset[str]]:
        """Cell id -> the questions in it."""
        pairs = [(id_, name) for lesson in self.lessons.values() for name, id_ in lesson.questions.items()]
        return {id_: frozenset(name for its, name in pairs if its == id_) for id_, _ in pairs}

    @cached_property
    def with_boxes(self) -> frozenset[str]:
        """The ids of the cells with a box for a prediction."""
        return frozenset(box.cell for lesson in self.lessons.values() for box in lesson.boxes)

    @cached_property
    def written_here(self) -> re.Pattern[str]:
        """Finds the functions of TODOs in a text that need not be Python."""
        names = "|".join(self.methods)
        return re.compile(rf"^[ \t]*(?:async[ \t]+)?def[ \t]+({names})[ \t]*(?:\[[^\n]*?\])?\(\s*self\b", re.MULTILINE)


def to_json(lab: Lab) -> dict[str, Any]:
    """Plain JSON values; `from_json` reads them."""
    lessons = [
        {**vars(lesson), "names": sorted(lesson.names), "boxes": [[*vars(box).values()] for box in lesson.boxes]}
        for lesson in lab.lessons.values()
    ]
    kept = {name: getattr(lab, name) for name in ("questions", "skeleton", "reference")}
    return {"lessons": lessons, "todos": list(lab.todos.items()), **kept}


def from_json(data: dict[str, Any]) -> Lab:
    """The lab that `to_json` wrote."""
    lessons = {
        lesson["stem"]: Lesson(
            **{
                **lesson,
                "names": frozenset(lesson["names"]),
                "boxes": tuple(Box(*box) for box in lesson["boxes"]),
            }
        )
        for lesson in data["lessons"]
    }
    todos = {number: tuple(parts) for number, parts in data["todos"]}
    return Lab(lessons, todos, data["questions"], data["skeleton"], data["reference"])
