"""`lab-grader export`, from a store to files."""

from __future__ import annotations

import json

import pytest

from durable_lab.worker import work
from grader.classrun.recorded import open_store
from grader.classrun.submissions import submission_folders
from grader.classrun.workflow import ENGINE, class_run, grade_class, grade_submission, plan
from grader.cli import main
from tests.classrun.fakes import a_class


@pytest.fixture
def marks(tmp_path, monkeypatch):
    """A folder with marks in it, as `grade` leaves them."""
    monkeypatch.chdir(tmp_path)
    reports = {f"s{i}": report for i, report in enumerate(a_class().reports[:3])}
    for name in reports:
        (tmp_path / "class" / name).mkdir(parents=True)
    out = tmp_path / "grades"
    out.mkdir()
    with open_store(out) as store:
        children = plan(store, submission_folders(tmp_path / "class")[0], {})
        for child in children:
            name = child.submission.student
            work(store, ENGINE, child.run, grade_submission(_grade(reports[name], name)), lambda point: None)
        work(store, ENGINE, class_run(store, children, ()), grade_class(graded), lambda point: None)
    return out


def graded(run):
    return {}


def _grade(report, name):
    def grade(student, digest):
        return {**report.to_json(), "student": name}

    return grade


def test_each_export_is_written_where_it_is_said(marks, capsys):
    for to in ("gradescope", "canvas", "moodle", "csv", "github"):
        assert main(["export", to]) == 0
    said = capsys.readouterr().out
    assert "written: grades/exports/canvas.csv" in said
    written = {str(path.relative_to(marks.parent)) for path in marks.parent.rglob("*") if path.is_file()}
    assert {f"grades/exports/gradescope/s{i}/results.json" for i in range(3)} < written
    assert {"grades/exports/moodle.csv", "grades/exports/grades.csv", ".github/workflows/classroom.yml"} < written
    assert json.loads((marks / "exports" / "grades.json").read_text(encoding="utf-8"))["students"][0]["student"] == "s0"


def test_who_is_in_no_row_is_named_and_the_exit_code_says_so(marks, capsys):
    (marks / "c.csv").write_text("Student,ID,Section,Lab 01 (7)\nAda,1,A,\nS One,s1,A,\n", encoding="utf-8")
    assert main(["export", "canvas", "--roster", "grades/c.csv", "--file", "out.csv"]) == 1
    said = capsys.readouterr().out
    assert "marks filled in: 1 of 3" in said
    assert "no row, or no single row, for: s0; s2" in said
    assert "rows without a mark of ours: Ada" in said
    assert main(["export", "canvas", "--roster", "grades/c.csv", "--column", "Lab 9"]) == 2
    assert "Lab 01 (7)" in capsys.readouterr().err


def test_a_place_that_cannot_be_written_is_one_line(marks, capsys):
    assert main(["export", "csv", "--file", "grades/grades.db/x.csv"]) == 2
    assert "Name another place: --file" in capsys.readouterr().err
