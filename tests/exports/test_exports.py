"""Marks in the formats of other systems: Gradescope, Canvas, Moodle, GitHub Classroom, and a plain table."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from durable_lab.diagnosis.diagnose import Diagnosis
from durable_lab.todos import all_todos
from grader.book import Book, Entry
from grader.checker.outcome import Outcome
from grader.errors import GraderError
from grader.exports import canvas, github, gradescope, moodle
from grader.exports.roster import read_sheet
from grader.exports.table import cell, csv_text, everything_csv, everything_json
from grader.pages.part import NOT_ISOLATED
from grader.report import Part, Report
from tests.classrun.fakes import a_class

BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"


def entry(name: str, points: float = 86.5) -> Entry:
    belief = Diagnosis("M9", "Mine & <yours>.", "It is lost.", "lesson 05")
    return Entry(name, Report(name, (Part("TODO 3", points, 100.0, diagnosis=belief),)))


def book(*names: str) -> Book:
    return Book((*(entry(name, 80.0 + i) for i, name in enumerate(names)), Entry("eve", None, "a bug of ours")))


def rows(text: str, delimiter: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(text.removeprefix(BOM), newline=""), delimiter=delimiter))


def write(path: Path, *lines: str, encoding: str = "utf-8") -> Path:
    path.write_bytes("\r\n".join(lines).encode(encoding))
    return path


# ------------------------------------------------------------ no spreadsheet runs what a student wrote


@pytest.mark.parametrize("text", ["=1+1", "+1+1", "-2+3", "@SUM(1)", " =1", "\t=1", "\r=1", '"=1', "\uff1d1", "'=1"])
def test_what_a_spreadsheet_would_run_gets_a_quote(text):
    assert cell(text) == f"'{text}"


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\uff1d"])
@pytest.mark.parametrize("between", [";", ",", "\t", "\n", "\r", "|", "; ", ";\u200b", ';"'])
def test_a_formula_after_a_separator_within_a_string_gets_a_quote(between, sign):
    text = f"notebook x{between}{sign}cmd|' /C calc'!A0.ipynb"
    for made in (cell(text), cell(f"a name, {text}")):
        parts = re.split(r"[;,|\t\r\n]", made)
        assert all(re.sub(r"""[\s"\u200b]""", "", part)[:1] != sign for part in parts)


@pytest.mark.parametrize("text", ["\ufeff=1", "\u00a0=1", "\u200b@x", "\x0b=1", "''=1"])
def test_a_formula_after_invisible_characters_gets_a_quote(text):
    assert cell(text) == f"'{text}"


@pytest.mark.parametrize("text", ["Lovelace, Ada", 'Ada "A" L', "a; b", "x, -5", "100,00", "a\nb", "Ł, Ядвига", "1;2"])
def test_names_and_texts_survive_a_round_trip(tmp_path, text):
    assert cell(text) == text
    for delimiter in ",;\t":
        for bom in (True, False):
            path = tmp_path / "x.csv"
            path.write_text(csv_text([["name", "mark"], [text, "1"]], delimiter, bom), encoding="utf-8", newline="")
            assert read_sheet(path).rows == [[text, "1"]]


@pytest.mark.parametrize("text", ["", "ana", "-", "-5", "+3.5", "1=1", "a@b", "86.5", "'", " "])
def test_what_is_harmless_stays_as_it_is(text):
    assert cell(text) == text


def test_no_cell_of_any_table_begins_like_a_formula(tmp_path):
    evil = "=cmd|' /C calc'!A0"
    made = replace(entry(evil).report, repairs=("=1",), refusals=("@x",), late="+1 day")
    hostile = Book((Entry(evil, made), Entry("@eve", None, "-1+cmd")))
    sheet = write(tmp_path / "m.csv", "Identifier,Full name,Grade,Feedback comments", f'Participant 1,"{evil}",-,=old')
    gradebook = write(tmp_path / "c.csv", "Student,ID,Section,Lab 01", f'"{evil}",1,=s,')
    texts = [everything_csv(hostile), canvas.canvas_csv(hostile).text, moodle.moodle_csv(hostile).text]
    texts += [moodle.fill_moodle(hostile, sheet).text, canvas.fill_canvas(hostile, gradebook).text]
    for text in texts:
        cells = [word for row in rows(text) for word in row]
        assert f"'{evil}" in cells
        assert not [word for word in cells if word[:1] in "=+@" and word]


# ------------------------------------------------------------ everything


def test_the_table_has_a_row_a_student_and_no_number_for_who_has_no_mark():
    head, ana, eve = rows(everything_csv(book("ana")))
    assert dict(zip(head, ana, strict=True))["TODO 3"] == "80"
    assert dict(zip(head, ana, strict=True))["beliefs"] == "M9"
    assert dict(zip(head, eve, strict=True)) == dict.fromkeys(head, "") | {
        "student": "eve",
        "not graded": "a bug of ours",
    }
    assert everything_csv(book("ana")).startswith(BOM), "or Excel takes it for another alphabet"


def test_the_json_gives_the_reports_back():
    large = a_class()
    data = json.loads(everything_json(large))
    read = [row["report"] and Report.from_json(row["report"]) for row in data["students"]]
    assert read == [entry.report for entry in large.entries]
    assert data["left_out"] == list(large.left_out)


# ------------------------------------------------------------ Gradescope


@pytest.mark.parametrize("report", a_class().reports, ids=lambda report: f"{report.points:g}")
def test_results_json_is_as_gradescope_specifies_it(report):
    data = json.loads(gradescope.results_json(report))
    assert data["score"] == report.points
    assert data["stdout_visibility"] == "hidden"
    assert sum(test["score"] for test in data["tests"]) == pytest.approx(data["score"])
    for test, part in zip(data["tests"], report.parts, strict=True):
        assert (test["score"], test["max_score"]) == (part.points, part.out_of)
        assert test["status"] == ("passed" if part.points == part.out_of else "failed")
        assert test["output_format"] == test["name_format"] == "text"
        assert test["visibility"] in ("hidden", "after_due_date", "after_published", "visible")
        assert part.name in test["name"]
        assert all(line in test["output"] for line in [part.taken_from, *(o.test for o in part.outcomes)])
    assert all(sentence in data["output"] for sentence in (*report.repairs, *report.refusals))


def test_results_json_says_that_it_was_not_isolated_and_can_be_shown_at_once():
    report = replace(entry("ana").report, isolated=False)
    data = json.loads(gradescope.results_json(report, visibility="visible"))
    assert data["output"] == NOT_ISOLATED
    assert {test["visibility"] for test in data["tests"]} == {"visible"} == {data["visibility"]}


# ------------------------------------------------------------ Canvas

GRADEBOOK = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Lab 01 (4711),Lab 02 (4712),Current Score",
    ",,,,,Manual Posting,,",
    "    Points Possible,,,,,100,50,(read only)",
    '"Lovelace, Ada",11,s11,ada,A,,,90',
    '"Ł, Ядвига",12,s12,jadwiga@x.edu,A,3,4,1',
    '"Turing, Alan",13,s13,alan,B,,,',
    '"Student, Test",14,,x9,B,,,',
)


def test_canvas_gets_its_own_rows_back_with_our_marks_and_nothing_else(tmp_path):
    made = canvas.fill_canvas(book("ada", "jadwiga@x.edu", "nobody"), write(tmp_path / "c.csv", *GRADEBOOK))
    assert rows(made.text) == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Lab 01 (4711)"],
        ["    Points Possible", "", "", "", "", "100"],
        ["Lovelace, Ada", "11", "s11", "ada", "A", "80"],
        ["Ł, Ядвига", "12", "s12", "jadwiga@x.edu", "A", "81"],
    ]
    assert (made.filled, made.no_row) == (2, ("nobody",))
    assert made.no_mark == ("Turing, Alan", "Student, Test")


NAMES = ["11", "s11", "ADA", "Ada Lovelace", "Lovelace, Ada", "lovelaceada_11_99", "lovelaceada_LATE_11_99"]


@pytest.mark.parametrize("name", NAMES)
def test_canvas_rows_are_found_by_what_stands_in_them_and_by_the_names_of_canvas_archives(tmp_path, name):
    made = canvas.fill_canvas(book(name), write(tmp_path / "c.csv", *GRADEBOOK))
    assert rows(made.text)[-1][0] == "Lovelace, Ada"


def test_no_mark_is_exported_if_two_rows_or_two_submissions_could_be_meant(tmp_path):
    twins = [*GRADEBOOK, '"Lovelace, Ada",15,s15,ada2,B,,,']
    made = canvas.fill_canvas(book("Ada Lovelace", "alan", "13"), write(tmp_path / "c.csv", *twins))
    assert made.filled == 0
    assert made.no_row == ("Ada Lovelace", "alan", "13")
    assert len(rows(made.text)) == 2


@pytest.mark.parametrize(
    ("possible", "mark", "said"),
    [
        ("100", "80", "The points are out of 100, as in the file."),
        ("50", "40", "The points are scaled: the file has 50 points possible, the rubric 100."),
        ("12.5", "10", "The points are scaled: the file has 12.5 points possible, the rubric 100."),
        ("0", "80", "The points are out of 100; the file says '0' of what is possible."),
        ("", "80", "The points are out of 100; the file says nothing of what is possible."),
        ("(read only)", "80", "The points are out of 100; the file says '(read only)' of what is possible."),
    ],
)
def test_canvas_points_are_those_that_its_assignment_has(tmp_path, possible, mark, said):
    lines = [line.replace(",100,50,", f",{possible},50,") for line in GRADEBOOK]
    made = canvas.fill_canvas(book("ada"), write(tmp_path / "c.csv", *lines))
    assert rows(made.text)[1][-1] == possible
    assert (rows(made.text)[2][-1], made.scale) == (mark, said)


def test_a_number_alone_is_no_student(tmp_path):
    """A folder `kim_11` is not Ada, whose number in Canvas is 11."""
    made = canvas.fill_canvas(book("kim_11"), write(tmp_path / "c.csv", *GRADEBOOK))
    assert (made.filled, made.no_row) == (0, ("kim_11",))


def unfinished():
    [one] = book("ada").reports
    parts = (
        replace(one.parts[0], points=0.0, graded=False, note="not graded: it needs a newer Python"),
        *one.parts[1:],
    )
    return Book((Entry("ada", replace(one, parts=parts)),))


def test_points_that_are_not_final_go_to_no_other_system(tmp_path):
    gradebook, sheet = write(tmp_path / "c.csv", *GRADEBOOK), write(tmp_path / "m.csv", *WORKSHEET)
    made = [canvas.fill_canvas(unfinished(), gradebook), canvas.canvas_csv(unfinished())]
    made += [moodle.fill_moodle(unfinished(), sheet), moodle.moodle_csv(unfinished())]
    assert [one.filled for one in made] == [0, 0, 0, 0]
    head, row = rows(everything_csv(unfinished()))
    assert dict(zip(head, row, strict=True))["points"] == ""
    assert "newer Python" in dict(zip(head, row, strict=True))["not graded"]
    assert "newer Python" in json.loads(everything_json(unfinished()))["students"][0]["not_graded"]


def test_a_file_that_is_no_csv_is_refused_with_a_line(tmp_path):
    with pytest.raises(GraderError, match="is not a CSV file"):
        canvas.fill_canvas(book("ada"), write(tmp_path / "c.csv", "Student,ID", f"{'x' * 200_000},1"))


def test_canvas_files_with_a_mark_or_semicolons_come_back_in_the_same_way(tmp_path):
    lines = [line.replace(",", ";").replace("; ", ", ") for line in GRADEBOOK]
    made = canvas.fill_canvas(book("ada"), write(tmp_path / "c.csv", BOM + lines[0], *lines[1:]))
    assert made.text.startswith(f"{BOM}Student;ID;")
    assert rows(made.text, ";")[-1][-1] == "80"


@pytest.mark.parametrize(
    ("lines", "column", "words"),
    [
        (GRADEBOOK, "Lab 09", "There are: Lab 01 (4711), Lab 02 (4712)"),
        ((GRADEBOOK[0].replace("Lab 02", "Lab 01"), *GRADEBOOK[1:]), "Lab 01", "several columns"),
        (("a,b", "1,2"), "Lab 01", "Canvas did not export it"),
        (("nothing",), "Lab 01", "is not a table"),
    ],
)
def test_a_gradebook_that_does_not_match_is_refused_in_one_line(tmp_path, lines, column, words):
    with pytest.raises(GraderError, match=re.escape(words)):
        canvas.fill_canvas(book("ada"), write(tmp_path / "c.csv", *lines), column)


def test_files_that_cannot_be_read_are_refused_with_a_line(tmp_path):
    with pytest.raises(GraderError, match="not in UTF-8"):
        canvas.fill_canvas(book("ada"), write(tmp_path / "c.csv", "Student,ID", "Łéon,1", encoding="cp1250"))
    with pytest.raises(GraderError, match="No such file"):
        canvas.fill_canvas(book("ada"), tmp_path / "gone.csv")


def test_canvas_without_a_gradebook_has_the_columns_that_its_import_asks_for():
    table = rows(canvas.canvas_csv(book("ada"), "Lab 01 (4711)").text)
    assert table[0] == ["Student", "ID", "SIS Login ID", "Section", "Lab 01 (4711)"]
    assert table[1:] == [["    Points Possible", "", "", "", "100"], ["ada", "", "ada", "", "80"]]


# ------------------------------------------------------------ Moodle

HEAD = "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,Last modified (submission),"
HEAD += "Last modified (grade),Feedback comments"
WORKSHEET = (
    HEAD,
    'Participant 101,Ada Lovelace,ada@x.edu,Submitted for grading,-,100.00,Yes,"Monday, 3 March 2025, 9:00 AM",-,',
    "Participant 102,Alan Turing,alan@x.edu,No submission,-,50.00,Yes,-,-,old",
    "Participant 103,Grace Hopper,grace@x.edu,No submission,7.00,100.00,Yes,-,-,kept",
)


MOODLE_NAMES = ["Ada Lovelace", "ada@x.edu", "ada", "Participant 101", "Ada Lovelace_101_assignsubmission_file"]


@pytest.mark.parametrize("name", MOODLE_NAMES)
def test_moodle_gets_its_worksheet_back_with_grade_and_comment(tmp_path, name):
    made = moodle.fill_moodle(book(name), write(tmp_path / "m.csv", *WORKSHEET))
    table = rows(made.text)
    assert table[0] == HEAD.split(",")
    assert table[1][:4] == ["Participant 101", "Ada Lovelace", "ada@x.edu", "Submitted for grading"]
    assert table[1][4:9] == ["80", "100.00", "Yes", "Monday, 3 March 2025, 9:00 AM", "-"]
    assert table[1][9] == "TODO 3: 80 of 100. Mine &amp; &lt;yours&gt;. It is lost."
    assert table[2:] == rows("\r\n".join(WORKSHEET))[2:]
    assert made.no_mark == ("Alan Turing", "Grace Hopper")


def test_moodle_points_are_in_the_measure_of_the_assignment(tmp_path):
    made = moodle.fill_moodle(book("alan"), write(tmp_path / "m.csv", BOM + WORKSHEET[0], *WORKSHEET[1:]))
    assert rows(made.text)[2][4] == "40"
    assert made.text.startswith(BOM)


def test_moodle_without_a_worksheet_and_with_a_wrong_one(tmp_path):
    table = rows(moodle.moodle_csv(book("ada")).text)
    assert table[0] == ["Username", "Lab 01", "Lab 01 (feedback)"]
    assert table[1][:2] == ["ada", "80"]
    with pytest.raises(GraderError, match="Identifier and Grade"):
        moodle.fill_moodle(book("ada"), write(tmp_path / "m.csv", "Vorname,Nachname", "Ada,L"))


def test_moodle_comments_say_that_code_was_not_isolated_and_escape_what_a_student_made():
    report = Report("x", (Part("TODO 1", 0.0, 1.0, "<b>", outcomes=(Outcome("t", (), False),)),), (), ("<i>",), False)
    said = moodle.comment(report)
    assert said.startswith(NOT_ISOLATED)
    assert "<b>" not in said
    assert "<i>" not in said


# ------------------------------------------------------------ GitHub Classroom


def test_the_workflow_runs_each_todo_and_the_14_with_pinned_actions_and_reports_all():
    data = yaml.safe_load(github.workflow_yaml())
    assert set(data) == {"name", "on", "permissions", "jobs"}, "`on` is quoted: YAML takes it for `true` otherwise"
    (job,) = data["jobs"].values()
    tests = [step for step in job["steps"] if "command-grader" in step.get("uses", "")]
    assert [step["with"]["command"] for step in tests] == [
        *(f".venv/bin/durable-lab check {number}" for number in sorted(all_todos())),
        ".venv/bin/durable-lab check",
    ]
    assert [step["with"]["max-score"] for step in tests] == [24, 8, 14, 16, 8, 14]
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step["uses"]) for step in job["steps"] if "uses" in step)
    reporter = job["steps"][-1]
    assert reporter["with"]["runners"].split(",") == [step["id"] for step in tests]
    assert set(reporter["env"]) == {f"{step['id'].upper()}_RESULTS" for step in tests}
    assert "://" not in github.workflow_yaml()
    assert "make .venv/base.done" in [step.get("run") for step in job["steps"]]
