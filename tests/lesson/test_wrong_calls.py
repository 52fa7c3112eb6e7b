"""A mistake in a cell gives a sentence, not a traceback."""

import pytest

from durable_lab.lesson import predict, question
from durable_lab.lesson.trying import compare


@pytest.mark.parametrize("name", ["unknown", "", None, 3, ["agent-1"], ...])
def test_a_question_that_does_not_exist_is_reported(capsys, name):
    question(name)
    assert capsys.readouterr().out.startswith("There is no question ")


@pytest.mark.parametrize("answer", ["z", "", 3, None, ["a"], "ab"])
def test_an_answer_that_is_none_of_the_choices_is_reported(capsys, answer):
    question("agent-1", answer)
    assert "is none of the choices" in capsys.readouterr().out


class Strange:
    def __eq__(self, other):
        raise ValueError("not simply equal")

    __hash__ = None


@pytest.mark.parametrize("guess", [Strange(), float("nan"), {1: {2}}, {(1, 2): 3}, object, lambda: 1])
def test_a_guess_of_any_kind_is_compared(capsys, guess):
    predict(guess).compare(3)
    assert "the result is 3" in capsys.readouterr().out


def test_several_guesses_are_one_list(capsys):
    predict(1, 2).compare([1, 2])
    said = capsys.readouterr().out
    assert "write a list" in said
    assert "As you predicted: [1, 2]." in said


def test_a_box_that_was_overwritten_by_its_value_is_a_prediction(capsys):
    compare(3, object(), 3)
    assert capsys.readouterr().out == "As you predicted: 3.\n"
