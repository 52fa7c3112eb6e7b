"""The document that describes a submission. It is read once, in the sandbox; every later step uses this.

    Submission
      notebooks    each notebook: the lesson that it is, and its cells with the released cell that each stands for
      functions    for each function of a TODO, the text that counts: its place, how it was found, what it needs
      answered     question -> the letter, and its place
      predicted    lesson -> the places of the boxes that are filled in
      files        the other files of the lab that were handed in beside the notebooks, as text
      whole, alone the engines made of it: the student's own; for each TODO, one with the others from the reference
      repairs      what was put right, a sentence each
      refusals     what could not be used, and why
      ungraded     what needs a newer Python; `not_graded`: why the submission can have no mark at all

A `Place` names a file, a cell and a line. Every later step takes a cell or a function from here by its place, and does
not search for it a second time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

BY_ID, BY_MARK, BY_COPY, BY_NAME, BY_FILE = "id", "mark", "copy", "name", "file"  # the most certain way first


class Refused(Exception):
    """Something in a submission cannot be used. The message says why, as the end of a sentence, for the student."""


def tidy(text: str) -> str:
    """A cell's text without what is not visible: spaces at the ends of lines, empty lines around it."""
    return "\n".join(map(str.rstrip, text.strip().split("\n")))


@dataclass(frozen=True)
class Place:
    """Where something stands. `cell` counts cells of all kinds from 1, 0 for a file that is no notebook; `line` from 1.

    As a string: "notebooks/03_determinism.ipynb, cell 7" or "lab/engine.py, line 210".
    """

    file: str
    cell: int = 0
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}, {self.within}"

    @property
    def within(self) -> str:
        """Where in the file."""
        return f"cell {self.cell}" if self.cell else f"line {self.line}"


@dataclass(frozen=True)
class Cell:
    """`kind` is "code", "markdown" or "raw"; `id` and nbgrader's `grade_id` are "" if it has none."""

    number: int
    kind: str
    source: str
    id: str = ""
    grade_id: str = ""
    attachments: dict[str, dict[str, str]] = field(default_factory=dict)  # as they were handed in: name -> type -> data
    stands_for: str = ""  # the id of the released cell that it is; "" for a cell of the student's own

    @cached_property
    def tidy(self) -> str:
        return tidy(self.source)


@dataclass(frozen=True)
class Notebook:
    """`path` is printable. Of several copies of a lesson, one is the `main` one, which counts before the others."""

    path: str
    cells: tuple[Cell, ...]
    notes: tuple[str, ...] = ()  # what is unusual about the file: "has ..."
    lesson: str = ""  # its name in the release; "" for a notebook of the student's own
    main: bool = False

    def place(self, cell: Cell, line: int = 0) -> Place:
        """The place of one of its cells, or of a line in it."""
        return Place(self.path, cell.number, line)


@dataclass(frozen=True)
class Helper:
    """A function, class, constant or import in a cell of the student's own that a TODO needs."""

    name: str
    place: Place


@dataclass(frozen=True)
class Function:
    """The text that counts for one function of a TODO, at the left margin."""

    part: str  # "Context.now"
    todo: int
    place: Place
    found: str  # BY_ID, ...
    text: str
    needs: tuple[Helper, ...] = ()


@dataclass(frozen=True)
class Answer:
    """The answer to a question."""

    letter: str
    place: Place


@dataclass(frozen=True)
class Submission:
    """One submission, read but not run. Two readings of the same files are equal."""

    student: str
    whole: str | None = None  # the student's engine, all five TODOs theirs; None if there is none that can be run
    alone: dict[int, str] = field(default_factory=dict)  # TODO -> the engine in which only this TODO is the student's
    stubs: frozenset[int] = frozenset()  # TODOs still to be written
    functions: tuple[Function, ...] = ()  # those that are written, in the order of work
    answered: dict[str, Answer] = field(default_factory=dict)
    predicted: dict[str, tuple[Place, ...]] = field(default_factory=dict)
    repairs: tuple[str, ...] = ()
    refusals: dict[str, str] = field(default_factory=dict)  # "TODO 3", "notebook 04_...", "archive" -> why not
    late: str = ""  # a note; lateness costs nothing here
    ungraded: dict[str, str] = field(default_factory=dict)  # part of the rubric -> why it needs a newer Python
    not_graded: str = ""  # why it can have no mark, which is not 0; a sentence
    notebooks: tuple[Notebook, ...] = ()
    unread: dict[str, str] = field(default_factory=dict)  # lesson -> why it is not among the notebooks
    files: dict[str, str] = field(default_factory=dict)

    @property
    def answers(self) -> dict[str, str]:
        """Question -> the letter that counts."""
        return {name: answer.letter for name, answer in self.answered.items()}

    @property
    def predictions(self) -> dict[str, int]:
        """Lesson -> how many of its boxes are filled in."""
        return {lesson: len(places) for lesson, places in self.predicted.items()}

    @property
    def origins(self) -> dict[int, str]:
        """TODO -> where it was taken from, for people: "notebooks/02_replay.ipynb, cells 6 and 8"."""
        return {number: _origin(one.place for one in self.functions if one.todo == number) for number in self.alone}


def _origin(places: Iterable[Place]) -> str:
    by_file: dict[str, dict[str, None]] = {}
    for place in places:
        by_file.setdefault(place.file, {})[place.within] = None
    return "; ".join(f"{file}, {_joined([*within])}" for file, within in by_file.items())


def _joined(places: list[str]) -> str:
    """["cell 6", "cell 8"] -> "cells 6 and 8"."""
    if len(places) == 1:
        return places[0]
    word = places[0].partition(" ")[0]
    numbers = [place.partition(" ")[2] for place in places]
    return f"{word}s {', '.join(numbers[:-1])} and {numbers[-1]}"
