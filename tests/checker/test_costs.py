"""Costs are fair: a mistake costs points mainly in its own TODO, and that part of the report says so."""

import pytest

from durable_lab import source
from durable_lab.todos import all_todos
from grader.checker import suite
from grader.checker.check import Finding, _blamed
from grader.checker.outcome import Outcome
from grader.dev.bank import entries
from grader.dev.bank.as_submission import fits_notebooks, hand_in
from grader.handin import Submission
from grader.marks import KEPT, LEAST_LOST, _held, _whole, grade
from grader.rubric import weights

WRONG = entries("wrong")
MOST_COSTLY = 1.5  # times the points of the TODO


@pytest.mark.long(every=300)
@pytest.mark.usefixtures("bubblewrap")
@pytest.mark.parametrize("entry", WRONG, ids=lambda entry: entry.path.stem)
def test_one_mistake_costs_about_its_own_todo_and_that_part_says_so(entry, tmp_path):
    report = grade(hand_in(entry, tmp_path / "a"), "a")
    lost = {part.name: part.out_of - part.points for part in report.parts[:6]}
    failed = sum(not outcome.earned for outcome in report.part("whole engine").outcomes)
    if failed > 7 and not fits_notebooks(entry.source()):  # the code around the TODOs does not work: see the guide
        return
    paying = [name for name in lost if name != "whole engine" and lost[name] > 0]
    assert 1 <= len(paying) <= 1 + (spans(entry) and not fits_notebooks(entry.source())), lost
    if fits_notebooks(entry.source()):
        assert paying == [f"TODO {entry.todo}"]
    own = report.part(paying[0]).out_of
    assert lost[paying[0]] >= own * LEAST_LOST - 0.01
    assert 3 <= sum(lost.values()) <= own * MOST_COSTLY
    assert any(not outcome.earned for outcome in report.part(paying[0]).outcomes)


def spans(entry):
    """Whether its one mistake is made in two places: in a TODO, and in the code around the TODOs."""
    written = {part.function for todo in all_todos().values() for part in todo.parts}
    made = source.functions(entry.path.read_text(encoding="utf-8")).keys()
    return bool(made & written) and bool(made - written)


def outcomes(number, failed):
    """The outcomes of a TODO of which so many tests fail."""
    tests = [test for test in suite.public() if number in test.own]
    return tuple(Outcome(test.sentence, test.rules, i >= failed, True) for i, test in enumerate(tests))


@pytest.mark.parametrize("number", all_todos())
def test_a_todo_costs_a_third_for_the_first_failure_and_then_by_tests_and_never_more_than_it_has(number):
    about_it = len(outcomes(number, 0))
    held = [_held(number, Finding(number, outcomes(number, failed))) for failed in range(about_it + 1)]
    assert held[0] == 1
    assert held[1] <= 1 - LEAST_LOST
    assert held == sorted(held, reverse=True)
    assert held[-1] == 0
    beyond = (*outcomes(number, about_it), Outcome("a test that only uses it", (), False))
    assert _held(number, Finding(number, beyond)) == 0
    assert _held(number, Finding(number)) == 0


@pytest.mark.parametrize(("wrong", "kept"), [([4], KEPT), ([1, 4], 0), ([], 0)])
def test_a_test_of_the_whole_engine_costs_half_if_one_todo_alone_is_at_fault(wrong, kept):
    failed = [_blamed(test, Outcome(test.sentence, test.rules, False), wrong) for test in suite.public()]
    part = _whole(Finding(0, tuple(failed)), Submission("a", whole="an engine"))
    assert part.points == weights()["whole"]["points"] * kept
