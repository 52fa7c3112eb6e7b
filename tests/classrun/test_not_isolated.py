"""Without a sandbox no code is graded unless the instructor asks for it explicitly; then every report says so."""

from __future__ import annotations

import pytest

from grader.cli import main
from grader.cli.options import ALLOW
from grader.pages.part import NOT_ISOLATED
from grader.sandbox import bubblewrap


@pytest.fixture
def machine(classroom, monkeypatch):
    """A machine without bubblewrap, and a class on it."""
    classroom.hand_in(ana="ok 1", bo="ok 2")
    monkeypatch.setattr(bubblewrap, "missing", lambda: "bubblewrap is not installed")
    return lambda *arguments: main(arguments, grade="tests.classrun.fakes:grade")


def test_it_is_refused_and_the_option_is_named(machine, classroom, capsys):
    for command in ("grade", "one"):
        assert machine(command, str(classroom.folder)) == 2
        error = capsys.readouterr().err
        assert "bubblewrap is not installed" in error
        assert ALLOW in error
    assert classroom.graded == {}


def test_asked_for_by_name_it_grades_and_every_report_says_so(machine, classroom, capsys):
    assert machine("grade", str(classroom.folder), ALLOW) == 0
    assert "NOT ISOLATED" in capsys.readouterr().out
    for to in ("gradescope", "moodle", "csv"):
        assert machine("export", to) == 0
    files = {name: data.decode() for name, data in classroom.files().items()}
    said = [name for name, text in files.items() if NOT_ISOLATED in text]
    assert {"class.html", "feedback/ana.html", "feedback/bo.html", "exports/moodle.csv"} <= set(said)
    assert NOT_ISOLATED in " ".join(files["feedback/ana.txt"].split())
    assert NOT_ISOLATED in files["exports/gradescope/ana/results.json"]
    assert '"isolated": false' in files["grades.json"]
    assert ",no," in files["grades.csv"]


def test_marks_without_a_sandbox_do_not_stand_in_for_marks_with_one(machine, classroom, monkeypatch):
    assert machine("grade", str(classroom.folder), ALLOW) == 0
    monkeypatch.setattr(bubblewrap, "missing", lambda: None)
    assert machine("grade", str(classroom.folder), ALLOW) == 0
    assert classroom.graded == {"ana": 2, "bo": 2}
    assert "NOT ISOLATED" not in (classroom.out / "class.html").read_text(encoding="utf-8")
