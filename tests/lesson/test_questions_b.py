"""The questions of lessons 04 to 06: each can be answered by one letter, and is asked in its lesson."""

import re

import pytest

from durable_lab.lesson.questions import all_questions, digest
from durable_lab.study import ROOT

LESSONS = {"retries": "04", "signals": "05", "sagas": "06"}
MINE = [name for name in all_questions() if name.rpartition("-")[0] in LESSONS]


@pytest.mark.parametrize("name", MINE)
def test_a_question_has_one_right_letter_and_an_explanation_for_each(name):
    asked = all_questions()[name]
    assert len([letter for letter in asked["choices"] if digest(name, letter) == asked["answer"]]) == 1
    assert asked["why"].keys() == asked["choices"].keys()


def test_every_question_is_asked_once_and_in_the_lesson_of_its_name():
    asked = []
    for path in sorted((ROOT / "solution" / "notebooks").glob("0[4-6]*.py")):
        for name in re.findall(r'^question\("([\w-]+)", \.\.\.\)$', path.read_text(encoding="utf-8"), re.M):
            assert LESSONS[name.rpartition("-")[0]] == path.name[:2]
            asked.append(name)
    assert asked == MINE
