"""The options of `lab-grader`: unknown commands are refused, and every option arrives where it is used."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import pytest

from grader.cli import options as shared
from grader.handin.release import current
from grader.nbgrader_course import steps
from grader.nbgrader_course.names import ASSIGNMENT
from grader.sandbox import bubblewrap

REAL = "grader.marks:grade"


# ------------------------------------------------------------ unknown commands


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "Missing command."),
        (["grad"], "No such command 'grad'. Did you mean 'grade'"),
        (["grade"], "Missing argument 'FOLDER'"),
        (["grade", "all", "--jobs", "0"], "'0' is not a whole number from 1"),
        (["grade", "all", "--jobs", "two"], "'two' is not a whole number from 1"),
        (["grade", "all", "--from", "cells"], "'cells' is not one of 'notebooks', 'files'"),
        (["grade", "all", "--seconds", "x"], "'x' is not a valid float"),
        (["grade", "all", "--out", "--again-all"], "--out needs a value, and --again-all is an option"),
        (["grade", "all", "--agian", "kim"], "(Possible options: --again"),
        (["grade", "all", "others"], "unexpected extra argument(s) (others)"),
        (["export", "word"], "'word' is not one of 'gradescope', 'canvas', 'moodle', 'csv', 'github', 'nbgrader'"),
        (["export"], "Missing argument"),
        (["show", "\x1b[2J", "\x1b[2J"], r"\x1b[2J"),
    ],
)
def test_what_is_no_command_is_refused_in_words_after_how_it_is_used(classroom, words, said):
    answer = classroom.run(*words, code=2)
    assert answer.startswith("Usage: lab-grader ")
    assert said in answer
    assert "Traceback" not in answer
    assert "\x1b" not in answer
    assert list(classroom.home.iterdir()) == []


COMMANDS = ["unpack", "grade", "one", "report", "show", "export"]
COMMANDS += ["course", "release", "collect", "autograde", "feedback"]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_is_shown_whole_and_before_the_rubric_is_read(classroom, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(shared, "weights", lambda: pytest.fail("the rubric is read"))
    said = classroom.run(name, "--help")
    assert said.startswith(f"Usage: lab-grader {name}")
    assert "..." not in said.partition("\n\n")[2]
    assert max(map(len, said.splitlines())) <= 60
    assert shared.ALLOW in said or name not in ("grade", "one", "autograde")


def test_the_help_names_every_command(classroom):
    assert re.findall(r"(?m)^  (\w+) +[A-Zn]", classroom.run("-h").partition("Commands:")[2]) == COMMANDS


# ------------------------------------------------------------ --from


def put(folder):
    """A submission whose notebook has a wrong TODO 2, and whose lab/engine.py has all five TODOs."""
    (folder / "lab").mkdir(parents=True)
    (folder / "lab" / "engine.py").write_text(current().reference, encoding="utf-8")
    wrong = "@todo(2)\ndef now(self) -> float:\n    return 0.0"
    cell = {"cell_type": "code", "id": "03_determinism-15", "metadata": {}, "outputs": [], "source": wrong}
    book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "03_determinism.ipynb").write_text(json.dumps(book), encoding="utf-8")


def source(out):
    """Return the source that was passed to the fake grader."""
    [student] = json.loads((out / "grades.json").read_text(encoding="utf-8"))["students"]
    return student["report"]["late"]


def test_grade_uses_the_source_that_from_names_and_the_notebooks_by_default(classroom):
    classroom.hand_in(ana="source")
    for number, (options, wanted) in enumerate(
        [((), "notebooks"), (("--from", "notebooks"), "notebooks"), (("--from", "files"), "files")]
    ):
        out = classroom.home / f"grades{number}"
        classroom.grade(*options, "--out", str(out))
        assert source(out) == wanted, options


@pytest.mark.long
@pytest.mark.usefixtures("bubblewrap")
def test_one_uses_the_source_that_from_names_and_writes_for_gradescope(classroom):
    put(classroom.home / "ana")
    for source, wanted in (("files", 8), ("notebooks", 0)):
        classroom.run("one", "ana", "--from", source, "--gradescope", "results.json", grade=REAL)
        results = json.loads((classroom.home / "results.json").read_text(encoding="utf-8"))
        assert next(test["score"] for test in results["tests"] if test["name"].startswith("TODO 2")) == wanted


def test_autograde_uses_the_source_that_from_names(classroom, monkeypatch):
    folder = classroom.home / "course" / "submitted" / "ana" / ASSIGNMENT
    folder.mkdir(parents=True)
    (folder / "engine.py").write_text("source", encoding="utf-8")
    monkeypatch.setattr(steps, "config", lambda where: None)
    monkeypatch.setattr(steps, "autograde", lambda *given, **how: [SimpleNamespace(student="ana", problem="")])
    for wanted in ("files", "notebooks"):
        classroom.run("autograde", "course", "--from", wanted, "--out", wanted, "--jobs", "1")
        assert source(classroom.home / wanted) == wanted


# ------------------------------------------------------------ names are names


def test_again_is_a_name_and_never_a_pattern(classroom):
    names = ["kim [2]", "kim 2", "a*", "ab", "?", "x", "[!x]", "class"]
    classroom.hand_in(**dict.fromkeys(names, "ok"))
    classroom.grade()
    for name in ("kim [2]", "a*", "?", "[!x]"):
        assert "1 to grade" in classroom.grade("--again", name)
    assert classroom.graded == {name: 2 if name in ("kim [2]", "a*", "?", "[!x]") else 1 for name in names}
    assert "no student has this name" in classroom.grade("--again", "*", code=2)
    assert "no student has this name" in classroom.grade("--again", "ki", code=2)


def test_again_all_grades_everyone_again(classroom):
    classroom.hand_in(ana="ok", bo="ok")
    classroom.grade()
    assert "2 to grade" in classroom.grade("--again-all", "--jobs", "1")


def test_show_takes_an_exact_name_before_a_beginning(classroom):
    classroom.hand_in(**{"kim": "ok", "kim 2": "ok", "kim [2]": "ok"})
    classroom.grade()
    for name in ("kim", "kim 2", "kim [2]"):
        assert classroom.run("show", name).startswith(f"{name}: ")


def test_seconds_and_not_isolated_arrive(classroom, monkeypatch):
    classroom.hand_in(ana="hang")
    assert "was not done after 0.5 seconds" in json.dumps(_graded(classroom, "--seconds", "0.5"))
    monkeypatch.setattr(bubblewrap, "missing", lambda: "there is no bwrap")
    classroom.hand_in(ana="ok")
    assert shared.ALLOW in classroom.grade(code=2)
    assert _graded(classroom, shared.ALLOW)["ana"]["report"]["isolated"] is False


def _graded(classroom, *options):
    classroom.grade(*options)
    return classroom.marks()
