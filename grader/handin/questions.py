"""How many answers are right."""

from __future__ import annotations

from collections.abc import Mapping

from durable_lab.lesson.questions import all_questions, digest


def right_answers(answers: Mapping[str, str]) -> tuple[int, int]:
    """How many of these answers (question -> letter) are right, and how many questions there are."""
    asked = all_questions()
    return sum(digest(name, answers.get(name, "")) == asked[name]["answer"] for name in asked), len(asked)
