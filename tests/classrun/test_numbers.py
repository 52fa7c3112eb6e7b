"""The numbers of the class report, compared with marks that are added up by hand."""

from __future__ import annotations

import pytest

from durable_lab.diagnosis.diagnose import Diagnosis
from grader.book import Book, Entry
from grader.checker.outcome import Outcome
from grader.pages import statistics
from grader.report import Part, Report
from grader.rubric import weights, without_points
from tests.classrun.fakes import a_class

R1R2 = Outcome("records and replays", ("R1", "R2"), False, None, "it does not")
ONLY_SHOWN = Outcome("signals wait", ("R8",), True, False)
GOOD = Outcome("now is kept", ("R7",), True, True)
M9 = Diagnosis("M9", "mine", "theirs", "lesson 05")


def book(*parts: tuple[Part, ...]) -> Book:
    return Book(tuple(Entry(f"s{i}", Report(f"s{i}", each)) for i, each in enumerate(parts)))


CLASS = book(
    (Part("TODO 1", 4.0, 12.0, outcomes=(R1R2, ONLY_SHOWN, GOOD), diagnosis=M9), Part("questions", 1.0, 8.0, "1 of 8")),
    (Part("TODO 1", 0.0, 12.0, "still to be written"), Part("questions", 8.0, 8.0)),
    (Part("TODO 1", 12.0, 12.0, outcomes=(GOOD,)), Part("questions", 8.0, 8.0)),
)


def test_a_lost_point_goes_to_failed_tests_evenly_and_from_there_to_their_rules():
    rows = {row.rule: (row.points, row.students) for row in statistics.rules(CLASS.reports)}
    assert rows == {"R8": (4.0, 1), "R1": (2.0, 1), "R2": (2.0, 1)}
    assert statistics.unwritten(CLASS.reports) == 12.0 + 7.0
    lost = sum(report.out_of - report.points for report in CLASS.reports)
    assert sum(points for points, _ in rows.values()) + statistics.unwritten(CLASS.reports) == lost


def test_no_point_of_a_whole_class_is_lost_twice_or_not_at_all():
    reports = a_class(90).reports
    lost = sum(report.out_of - report.points for report in reports)
    told = sum(row.points for row in statistics.rules(reports)) + statistics.unwritten(reports)
    assert told == pytest.approx(lost)
    assert sum(step.many for step in statistics.bins(reports)) == len(reports)


def test_the_spread_has_everybody_in_one_step_and_full_marks_in_the_last():
    marks = [0.0, 9.99, 10.0, 89.9, 90.0, 100.0]
    steps = statistics.bins([Report("x", (Part("all", points, 100.0),)) for points in marks])
    assert [step.many for step in steps] == [2, 1, 0, 0, 0, 0, 0, 0, 1, 2]
    assert (steps[0].low, steps[0].high, steps[-1].low, steps[-1].high) == (0, 9, 90, 100)


def test_parts_tests_and_beliefs_are_counted():
    todo, questions = statistics.parts(CLASS.reports)
    assert (todo.mean, todo.zero, todo.full, todo.graded) == (pytest.approx(16 / 3), 1, 1, 3)
    assert (questions.out_of, questions.zero, questions.full) == (8.0, 0, 2)
    rows = {row.test: row.alone for row in statistics.tests(CLASS.reports)}
    assert rows == {"records and replays": (0, 0, 1), "signals wait": (0, 1, 0), "now is kept": (2, 0, 0)}
    (belief,) = statistics.beliefs(CLASS.reports)
    assert (belief.diagnosis, belief.points, belief.students) == (M9, 8.0, ("s0",))
    assert [row.sentence for row in statistics.notes(CLASS)] == ["TODO 1: still to be written"]


def test_what_is_not_graded_is_in_no_mean():
    summary = statistics.summary(Book((*CLASS.entries, Entry("s9", None, "a bug"))).reports)
    assert summary is not None
    assert (summary.mean, summary.lowest, summary.highest, summary.full) == (pytest.approx(11.0), 5.0, 20.0, 1)
    assert statistics.summary([]) is None


def test_a_report_of_nothing_has_every_part_of_the_rubric():
    made = without_points("ana", "gone")
    table = weights()
    assert made.out_of == sum(table["todo"].values()) + table["whole"]["points"] + sum(table["lessons"].values())
    assert made.points == 0
    assert {part.name for part in made.parts} > {*(f"TODO {n}" for n in range(1, 6)), "whole engine"}
