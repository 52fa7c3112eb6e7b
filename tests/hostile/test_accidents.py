"""Accidental damage keeps its marks: see `accidents.py`."""

import pytest

from tests.hostile.accidents import ACCIDENTS
from tests.hostile.worth import without_lesson_3, without_todo_2

WORTH = {"": lambda: 100.0, "TODO 2": without_todo_2, "lesson 3": without_lesson_3}


@pytest.mark.parametrize("accident", ACCIDENTS, ids=lambda accident: accident.name)
@pytest.mark.long(every=14)
def test_an_accident_costs_what_it_must_and_no_more(accident, full, survive):
    accident.make(full)
    report = survive(full.write())
    assert report.points == WORTH[accident.costs](), [
        (part.name, part.points, part.note, [outcome.message for outcome in part.outcomes if not outcome.earned][:1])
        for part in report.parts
        if part.points < part.out_of
    ]


def test_they_are_many_and_each_says_what_happened():
    assert len(ACCIDENTS) >= 25
    assert all(accident.make.__doc__ for accident in ACCIDENTS)
