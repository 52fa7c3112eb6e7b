"""The progress of grading a class: done, left, time; a bar in a terminal, one line each in a pipe."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from grader.book import Entry
from grader.cli.live import Estimate, Shown, about
from grader.report import Part, Report


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def entry(student: str, points: float) -> Entry:
    return Entry(student, Report(student, (Part("whole engine", points, 100.0),)))


def told(terminal: bool) -> str:
    out, clock = io.StringIO(), Clock()
    console = Console(file=out, force_terminal=terminal, width=110, color_system=None, highlight=False)
    with Shown(console, 1, clock) as shown:
        shown.begins(5, 2)
        clock.now = 40
        shown.graded(entry("ana", 86.5))
        clock.now = 80
        shown.graded(Entry("[red]bo\x1b", None, "KeyError: [bold]"))
        clock.now = 120
        shown.graded(entry("cy", 7.0))
    return out.getvalue()


def test_a_pipe_gets_one_line_for_each_student_with_the_rest_of_the_work():
    lines = told(terminal=False).splitlines()
    assert lines[0] == "5 submissions; 2 graded before; 3 to grade"
    assert lines[1] == "3 of 5  ana  86.5 of 100  (2 left, about 60 s)"
    assert lines[2] == r"4 of 5  [red]bo\x1b  not graded: KeyError: [bold]  (1 left, about 20 s)"
    assert lines[3] == "5 of 5  cy  7 of 100  (none left)"


def test_a_terminal_gets_a_bar_with_the_last_name_and_the_time():
    said = told(terminal=True)
    assert "5/5" in said
    assert "none left" in said
    assert "cy  7 of 100" in said
    assert "0:00:0" in said
    assert r"[red]bo\x1b  not graded" in said


def simulated(durations: list[float], jobs: int) -> list[tuple[float, int, float, float]]:
    """Grade submissions of these durations: (now, left, estimate, how long it took) at each end and between."""
    free, ends = [0.0] * jobs, []
    for seconds in durations:
        start = min(free)
        free[free.index(start)] = start + seconds
        ends.append(start + seconds)
    estimate, seen, ends = Estimate(jobs, 0.0), [], sorted(ends)
    for i, end in enumerate(ends):
        estimate.ended(end)
        left = len(ends) - i - 1
        until = ends[i + 1] if left else end
        for now in (end, (end + until) / 2, until - 0.001):
            if left and now >= end:
                seen.append((now, left, estimate.seconds(left, now), ends[-1] - now))
    return seen


@pytest.mark.parametrize("jobs", [1, 2, 8])
def test_the_estimate_of_a_steady_class_is_right_within_the_time_of_one_submission_or_a_factor_of_2(jobs):
    for _, _, said, took in simulated([8.0] * 60, jobs):
        assert took / 2 - 8.0 <= said <= 2 * took + 8.0


def test_the_estimate_follows_when_the_second_half_of_a_class_is_ten_times_slower():
    seen = simulated([2.0] * 50 + [20.0] * 50, 2)
    late = [(said, took) for _, left, said, took in seen if 5 < left < 30]
    assert all(took / 2 <= said <= 2 * took for said, took in late)


def test_a_slow_last_submission_is_never_said_to_be_done_in_0_seconds():
    seen = simulated([3.0] * 40 + [290.0], 2)
    waiting = [(now, said) for now, left, said, took in seen if left == 1 and took > 5]
    assert len(waiting) >= 2
    ended = min(now for now, _ in waiting)
    for now, said in waiting:
        assert said >= now - ended, "with nothing else to grade it takes as long again as it has taken"
        assert "0 s" not in about(said).split()


def test_before_the_first_has_ended_no_time_is_said():
    shown = Shown(Console(file=io.StringIO()), 4, Clock())
    shown.begins(9, 0)
    assert shown.left() == "9 left"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.0, "a few seconds"), (4.9, "a few seconds"), (7.0, "about 10 s"), (44.0, "about 40 s"), (120.0, "about 2 min")],
)
def test_a_time_is_rounded_to_what_is_known(seconds, words):
    assert about(seconds) == words
