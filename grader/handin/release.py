"""What was handed out: the released notebooks, and what of them a submission is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from durable_lab.checks.substitute import REFERENCE
from durable_lab.lesson.questions import all_questions, digest
from durable_lab.stubs import BEGIN, END
from durable_lab.todos import SKELETON, all_todos
from grader.handin.inside.lab import Lab
from grader.handin.inside.lesson import lesson

HANDED_OUT = Path(__file__).with_name("handed_out")  # those in notebooks/ may be changed by their user
METHODS = {part.function.rpartition(".")[2]: part.function for todo in all_todos().values() for part in todo.parts}


@cache
def stems() -> tuple[str, ...]:
    """The names of the notebooks that were handed out, without `.ipynb`."""
    return tuple(sorted(path.stem for path in HANDED_OUT.glob("*.ipynb")))


def handed_out() -> dict[str, str]:
    """The notebooks as students get them, stem -> JSON."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(HANDED_OUT.glob("*.ipynb"))}


@cache
def current() -> Lab:
    """The lab that this repository hands out."""
    return released(handed_out())


def released(notebooks: Mapping[str, str]) -> Lab:
    """The lab with these notebooks (stem -> JSON). They are ours: what is wrong in them is raised."""
    reference = REFERENCE.read_text(encoding="utf-8").split("\n")
    return Lab(
        {stem: lesson(stem, text, METHODS) for stem, text in sorted(notebooks.items())},
        {number: tuple(part.function for part in todo.parts) for number, todo in all_todos().items()},
        {name: "".join(asked["choices"]) for name, asked in all_questions().items()},
        (SKELETON / "engine.py").read_text(encoding="utf-8"),
        "\n".join(line for line in reference if line.strip() not in (BEGIN, END)),
    )


def boxes() -> dict[str, int]:
    """How many prediction boxes each notebook of the release has, by its stem."""
    return {stem: len(lesson.boxes) for stem, lesson in current().lessons.items()}


def right_answers(answers: Mapping[str, str]) -> tuple[int, int]:
    """How many of these answers (question -> letter) are right, and how many questions there are."""
    asked = all_questions()
    return sum(digest(name, answers.get(name, "")) == asked[name]["answer"] for name in asked), len(asked)
