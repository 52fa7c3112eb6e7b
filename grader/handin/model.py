"""What counts of a hand-in: the student's engine as source text, their answers, and what was said about their files."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Submission:
    """One hand-in, read but not run. Two readings of the same files are equal."""

    student: str
    whole: str | None = None  # the student's engine, all five TODOs theirs; None where there is none that can be run
    alone: dict[int, str] = field(default_factory=dict)  # TODO -> the engine with this TODO theirs, the others not
    stubs: frozenset[int] = frozenset()  # TODOs still to be written
    origins: dict[int, str] = field(default_factory=dict)  # TODO -> "notebooks/03_determinism.ipynb, cell 7"
    answers: dict[str, str] = field(default_factory=dict)  # question -> the letter given
    predictions: dict[str, int] = field(default_factory=dict)  # notebook -> how many boxes are filled in
    repairs: tuple[str, ...] = ()  # what was put right, a sentence each
    refusals: dict[str, str] = field(default_factory=dict)  # "TODO 3", "notebook 04_...", "archive" -> why not
    late: str = ""  # a note; it costs nothing here
    ungraded: dict[str, str] = field(default_factory=dict)  # part of the rubric -> why it needs a newer Python
    not_graded: str = ""  # why the whole of it can have no mark, which is not 0; a sentence


class Refused(Exception):
    """Something of a hand-in cannot be used. The message is a part of a sentence, for the student: why not."""
