"""Hostile files in a student's folder: see `files.py`."""

import pytest

from grader.rubric import weights
from tests.hostile.files import ONE_LESSON_LESS, TRICKS
from tests.hostile.worth import right_letter, without_lesson_3


@pytest.mark.parametrize("trick", TRICKS, ids=lambda trick: trick.name)
@pytest.mark.long(every=16)
def test_hostile_files_get_the_points_that_they_earned(trick, untouched, full, survive, tmp_path):
    hand_in = full if trick.on_full else untouched
    folder = trick.make(hand_in, tmp_path)
    hand_in.write()
    report = survive(folder or hand_in.folder)
    earns = without_lesson_3() if trick.earns is ONE_LESSON_LESS else trick.earns
    assert report.points == earns, {part.name: (part.points, part.note) for part in report.parts}


@pytest.mark.parametrize("order", ["dcba", "cdab", "dabc"])
def test_of_four_answers_to_a_question_one_counts(order, untouched, survive):
    """Each letter for each question, one after the other: only the last one counts."""
    names = []
    for book in untouched.books.values():
        for cell in book["cells"]:
            text = "".join(cell["source"])
            if text.startswith('question("'):
                names.append(text.split('"')[1])
                cell["source"] = "\n".join(text.replace("...", f'"{letter}"') for letter in order)
    right = sum(right_letter(name, order[-1]) for name in names)
    assert 0 < right < len(names)
    part = survive(untouched.write()).part("questions")
    assert part.points == pytest.approx(weights()["lessons"]["questions"] * right / len(names), abs=0.01)


def test_each_says_what_it_tries():
    assert len(TRICKS) >= 50
    assert all(trick.make.__doc__ for trick in TRICKS)
