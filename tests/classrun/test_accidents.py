"""Whatever a submission, a disk or a store does, the others are graded, and the cause and the remedy are printed."""

from __future__ import annotations

import fcntl
import os
import resource
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest


def test_a_worker_that_dies_costs_no_other_student_anything_and_two_deaths_are_0_points_with_a_reason(classroom):
    classroom.hand_in(ana="ok", bo="die", cy="once", dina="ok")
    classroom.grade("--jobs", "1")
    marks = classroom.marks()
    assert classroom.graded == {"ana": 1, "bo": 2, "cy": 2, "dina": 1}
    assert marks["bo"]["points"] == 0
    assert marks["bo"]["out_of"] == 100
    (why,) = marks["bo"]["report"]["refusals"]
    assert "could not be graded" in why
    assert "killed by signal 9, twice" in why
    assert all(marks[name]["points"] > 0 for name in ("ana", "cy", "dina"))
    assert "4 graded before" in classroom.grade(), "0 is a mark: it is not tried for ever"


def test_a_submission_without_an_end_is_stopped_at_the_deadline_and_has_0_points(classroom):
    classroom.hand_in(ana="hang", bo="ok")
    said = classroom.grade("--seconds", "1")
    assert "ana  0 of 100" in said
    assert "not done after 1 seconds" in classroom.marks()["ana"]["report"]["refusals"][0]
    assert classroom.marks()["bo"]["points"] > 0


@pytest.mark.timeout(60)
def test_what_a_submission_started_ends_with_its_worker_at_the_time_limit(classroom):
    classroom.hand_in(ana="child hang")
    classroom.grade("--seconds", "1")
    with (classroom.home / "held").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # waits as long as the child lives, which holds it


def test_a_bug_of_ours_is_no_mark_is_said_and_is_tried_again_the_next_time(classroom):
    classroom.hand_in(ana="ok", bo="bug")
    said = classroom.grade(code=1)
    assert "bo: KeyError: 'a bug of ours'. Run `grade` again" in said
    assert classroom.marks()["bo"]["points"] is None
    assert not (classroom.out / "feedback" / "bo.html").exists()
    assert "in grade" in (classroom.out / "grading.log").read_text(encoding="utf-8"), "the traceback is for us"
    (classroom.home / "side").unlink()
    classroom.grade(code=1)
    assert classroom.graded == {"bo": 1}
    assert "bo: not graded" in classroom.run("show", "bo", code=1)


def test_an_error_of_ours_that_is_no_exception_is_no_mark_either(classroom):
    classroom.hand_in(ana="base")
    assert "RuntimeError: GeneratorExit: not even an Exception" in classroom.grade(code=1)
    assert classroom.graded == {"ana": 1}


def test_only_changed_submissions_are_graded_again_and_the_old_page_is_deleted_if_there_is_no_mark(classroom):
    classroom.hand_in(ana="ok 1", bo="ok 2", cy="ok 3")
    classroom.grade()
    old = classroom.marks()
    os.utime(classroom.folder / "ana" / "engine.py", (1, 1))  # a date is no change
    classroom.hand_in(bo="ok 4", dina="ok 5")
    (classroom.folder / "cy" / "engine.py").unlink()
    classroom.grade(code=1)  # the fake needs a file
    assert classroom.graded == {"ana": 1, "bo": 2, "dina": 1, "cy": 2}
    assert classroom.marks()["ana"] == old["ana"]
    assert not (classroom.out / "feedback" / "cy.html").exists()
    classroom.hand_in(bo="ok 2", cy="ok 3")
    classroom.grade()
    assert classroom.graded["bo"] == 2, "what was handed in before was marked before"
    assert {name: classroom.marks()[name] for name in old} == old


def test_a_named_student_is_graded_again_and_no_other(classroom):
    classroom.hand_in(ana="ok", anton="ok", bo="ok")
    classroom.grade()
    classroom.grade("--again", "bo")
    classroom.grade("--again", "ana")
    assert classroom.graded == {"ana": 2, "anton": 1, "bo": 2}
    classroom.grade()
    assert sum(classroom.graded.values()) == 5
    assert "no student has this name" in classroom.grade("--again", "eve", code=2)


def test_nothing_is_written_among_what_was_handed_in_and_no_link_or_pipe_is_followed(classroom):
    classroom.hand_in(ana="ok", bo="ok")
    (classroom.folder / "eve").symlink_to(classroom.folder / "ana")
    (classroom.folder / "bo" / "loop").symlink_to(classroom.folder)
    (classroom.folder / "bo" / "secret").symlink_to("/etc/passwd")
    os.mkfifo(classroom.folder / "bo" / "pipe")
    (classroom.folder / "late.zip").write_bytes(b"PK")
    (classroom.folder / ".hidden").mkdir()
    before = sorted(classroom.folder.rglob("*"))
    said = classroom.grade()
    assert "eve: a link, which is not followed" in said
    assert "late.zip: an archive; unpack it" in said
    assert sorted(classroom.marks()) == ["ana", "bo"]
    assert sorted(classroom.folder.rglob("*")) == before
    assert "inside of" in classroom.grade("--out", str(classroom.folder / "ana" / "grades"), code=2)
    assert sorted(classroom.folder.rglob("*")) == before


def test_names_of_any_kind_are_shown_and_never_run(classroom):
    names = [
        "<script>alert(1)<",
        "=1+1",
        "\x1b[31mred",
        "two\nlines",
        "\u202eana",
        "\u042f\u0434\u0432\u0438\u0433\u0430",
        "x" * 240,
        "a b",
        "A b",
    ]
    classroom.hand_in(**dict.fromkeys(names, "ok"))
    os.makedirs(os.fsencode(classroom.folder) + b"/caf\xe9")  # noqa: PTH103 - no text, but bytes
    Path(os.fsdecode(os.fsencode(classroom.folder) + b"/caf\xe9/engine.py")).write_text("ok", encoding="utf-8")
    said = classroom.grade()
    assert "\x1b" not in said
    assert len(classroom.marks()) == 10
    assert r"caf\udce9" in classroom.marks()
    pages = [data for name, data in classroom.files().items() if name.endswith(".html")]
    assert len(pages) == 11
    assert not any(b"<script" in page or b"\x1b" in page or "\u202e".encode() in page for page in pages)
    assert all(path.is_relative_to(classroom.out) for path in classroom.out.rglob("*"))


def test_a_module_in_the_instructors_current_folder_shadows_nothing(classroom, monkeypatch):
    classroom.hand_in(ana="ok")
    for name in ("json", "grader", "selectors", "durable_lab"):
        (classroom.folder / "ana" / f"{name}.py").write_text("raise SystemExit('shadowed')", encoding="utf-8")
    monkeypatch.chdir(classroom.folder / "ana")
    classroom.grade()
    assert classroom.graded == {"ana": 1}


def test_a_message_of_a_million_characters_is_truncated_in_history(classroom):
    classroom.hand_in(ana="large", bo="ok")
    classroom.grade()
    assert classroom.marks()["ana"]["points"] is not None
    assert max(path.stat().st_size for path in classroom.out.rglob("ana.*")) < 500_000
    assert "more characters]" in classroom.run("show", "ana")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"my shopping list, which is long enough to be looked at" * 9, "is not an SQLite file"),
        (None, "another program's"),
    ],
)
def test_a_file_that_is_no_store_is_named_and_left_as_it_was(classroom, content, words):
    classroom.hand_in(ana="ok")
    classroom.out.mkdir()
    file = classroom.out / "grades.db"
    if content is None:
        with closing(sqlite3.connect(file)) as db:
            db.execute("CREATE TABLE mine(a)")
        content = file.read_bytes()
    file.write_bytes(content)
    assert words in classroom.grade(code=2)
    assert words in classroom.run("report", code=2)
    assert file.read_bytes() == content
    assert classroom.graded == {}


def test_a_damaged_history_is_reported_with_what_to_do_and_no_student_is_marked_by_it(classroom):
    classroom.hand_in(ana="ok", bo="ok")
    classroom.grade()
    with closing(sqlite3.connect(classroom.out / "grades.db", isolation_level=None)) as db:
        db.execute("DROP TRIGGER no_update")
        db.execute(
            "UPDATE history SET record = replace(record, '\"ok\":true', '\"ok\":7') WHERE workflow_id LIKE 'ana@%'"
        )
    before = classroom.files()
    said = classroom.run("report", code=2)
    assert "ana@" in said
    assert "Nothing was changed" in said
    assert classroom.files() == before


def test_a_full_disk_ends_with_one_line_and_the_next_grade_goes_on(classroom):
    classroom.hand_in(**{f"s{i}": f"ok {i}" for i in range(12)})
    classroom.grade("--again", "s1")
    (classroom.home / "side").unlink()
    classroom.hand_in(**{f"s{i}": f"ok {i + 100}" for i in range(12)})
    most = 70_000, resource.RLIM_INFINITY  # bytes of a file: some marks fit, not all
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, most)
    process = classroom.start("grade", str(classroom.folder), preexec_fn=limit)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "Traceback" not in errors
    assert "Free some space" in errors
    before = classroom.graded
    classroom.grade()
    assert len(classroom.marks()) == 12
    assert sum((classroom.graded - before).values()) <= 12


def test_a_wrong_request_gets_one_line_and_exit_code_2(classroom):
    classroom.home.joinpath("empty").mkdir()
    cases = {
        ("grade", "nowhere"): "nowhere: No such file or directory. Name the folder",
        ("grade", "empty"): "no student has handed anything in",
        ("report",): "has no marks",
        ("show", "ana"): "has no marks",
        ("export", "canvas", "--out", "empty"): "has no marks",
        ("grade",): "Missing argument 'FOLDER'",
        ("grade", "empty", "--jobs", "0"): "'0' is not a whole number from 1 to",
        ("one", "nowhere"): "is no folder",
    }
    for arguments, words in cases.items():
        said = classroom.run(*arguments, code=2)
        assert words in said, arguments
    assert "class" not in os.listdir(classroom.home)  # noqa: PTH208


def test_a_grader_that_cannot_start_is_no_mark_for_anybody(classroom):
    classroom.hand_in(ana="ok")
    assert "The grader cannot start: AttributeError" in classroom.grade(grade="tests.classrun.fakes:gone", code=2)
    assert not (classroom.out / "grades.csv").exists()
    classroom.grade()
    assert classroom.marks()["ana"]["points"] > 0


def test_a_submission_that_cannot_be_marked_is_listed_with_its_reason_and_what_to_do_and_is_no_0(classroom):
    classroom.hand_in(ana="ok", bo="nothing")
    said = classroom.grade(code=1)
    assert "bo  not graded: Only a text was handed in." in said
    assert classroom.marks()["bo"]["points"] is None
    assert classroom.marks()["bo"]["not_graded"] == "Only a text was handed in."
    assert classroom.run("show", "bo", code=1) == "bo: not graded. Only a text was handed in.\n"
    assert "not graded: bo" in classroom.run("export", "moodle", code=1)
    assert classroom.run("one", "class/bo", code=1) == "bo: not graded. Only a text was handed in.\n"
    assert "Only a text was handed in" in (classroom.out / "class.html").read_text(encoding="utf-8")


def test_a_part_without_a_mark_makes_the_points_not_final(classroom):
    classroom.hand_in(ana="ok", bo="newer")
    said = classroom.grade(code=1)
    assert "graded in part" in said
    assert "bo: TODO 1 is not graded: it needs a newer Python" in said
    for page in ("bo.html", "bo.txt"):
        text = (classroom.out / "feedback" / page).read_text(encoding="utf-8")
        assert "These points are not final:" in text
    assert "1 submission is graded in part only." in (classroom.out / "class.html").read_text(encoding="utf-8")
    said = classroom.run("export", "canvas", code=1)
    assert "marks filled in: 1 of 1" in said
    assert "graded in part, so not exported: bo (TODO 1 is not graded" in said


@pytest.mark.parametrize("ending", ["file", "file_"])
def test_folders_as_moodle_makes_them_are_not_two_students(classroom, ending):
    classroom.hand_in(**{f"Ada_1_assignsubmission_{ending}": "ok", "Ada_1_assignsubmission_onlinetext_": "ok"})
    said = classroom.grade(code=2)
    assert "several files or folders of Ada_1" in said
    assert "lab-grader unpack" in said


def test_files_as_an_lms_packs_them_are_to_be_unpacked_first(classroom):
    classroom.folder.mkdir()
    for name in ("ada_1_2_x.ipynb", "bob_3_4_x.ipynb"):
        (classroom.folder / name).touch()
    assert "lab-grader unpack" in classroom.grade(code=2)
