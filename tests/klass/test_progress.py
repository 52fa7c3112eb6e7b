"""What is seen while a class is graded: done, left, time; in a terminal a bar, in a pipe a line each."""

from __future__ import annotations

import io

from rich.console import Console

from grader.cli.progress import Shown
from grader.klass.grading import Step


def told(terminal: bool) -> str:
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=110, color_system=None, highlight=False)
    with Shown(console) as shown:
        shown.begins(5, 2)
        shown.step(Step("ana", 86.5, 100.0))
        shown.step(Step("[red]bo\x1b", problem="KeyError: [bold]"))
        shown.step(Step("cy", 7.0, 100.0))
    return out.getvalue()


def test_a_pipe_gets_a_line_for_each_with_what_is_left():
    lines = told(terminal=False).splitlines()
    assert lines[0] == "5 submissions; 2 graded before; 3 to grade"
    assert lines[1] == "3 of 5  ana  86.5 of 100  (2 left, about 0 s)"
    assert lines[2] == r"4 of 5  [red]bo\x1b  not graded: KeyError: [bold]  (1 left, about 0 s)"
    assert lines[3] == "5 of 5  cy  7 of 100  (none left)"


def test_a_terminal_gets_a_bar_with_the_last_name_and_the_time():
    said = told(terminal=True)
    assert "5/5" in said
    assert "none left" in said
    assert "cy  7 of 100" in said
    assert "0:00:0" in said
    assert r"[red]bo\x1b  not graded" in said
