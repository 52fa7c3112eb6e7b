"""The questions of lessons 00 to 03: each can be answered by one letter, and explains every letter."""

import re

import pytest

from durable_lab.lesson import question
from durable_lab.lesson.questions import all_questions, digest
from durable_lab.study import ROOT

LESSONS = {"agent": "00", "log": "01", "replay": "02", "determinism": "03"}
MINE = [name for name in all_questions() if name.rpartition("-")[0] in LESSONS]


def right(name):
    """Return the letters whose digest is the answer."""
    asked = all_questions()[name]
    return [letter for letter in asked["choices"] if digest(name, letter) == asked["answer"]]


@pytest.mark.parametrize("name", MINE)
def test_a_question_has_one_right_letter_and_an_explanation_for_each(name):
    asked = all_questions()[name]
    assert len(right(name)) == 1
    assert asked["why"].keys() == asked["choices"].keys()


@pytest.mark.parametrize("name", MINE)
def test_every_letter_is_answered_with_its_reason(name, capsys):
    for letter, why in all_questions()[name]["why"].items():
        question(name, letter)
        verdict = capsys.readouterr().out.splitlines()[-1]
        assert verdict == f"{letter}: {'right' if letter in right(name) else 'wrong'}. {why}"


def test_every_question_is_asked_in_the_lesson_of_its_name():
    texts = {path.name[:2]: path.read_text() for path in (ROOT / "solution" / "notebooks").glob("0*.py")}
    asked = [
        (name, lesson)
        for lesson in texts
        for name in re.findall(r'^question\("([\w-]+)", \.\.\.\)$', texts[lesson], re.M)
    ]
    assert [name for name, lesson in sorted(asked, key=lambda pair: pair[1]) if lesson <= "03"] == MINE
    assert all(LESSONS.get(name.rpartition("-")[0], lesson) == lesson for name, lesson in asked)
