"""Submissions that nbgrader does not expect: none gets further than it should, and no other student is stopped."""

import json
import os
import shutil
import zipfile

import pytest
from nbgrader.api import Gradebook

from durable_lab.todos import all_todos
from grader.handin import read
from grader.nbgrader_course import prepare, steps
from grader.nbgrader_course.archive import collect_archive
from grader.nbgrader_course.cells import points
from grader.report import Part, Report

SECRET = "nobody-shall-read-this"


def fake(folder, student):
    """A report without a checker: full points for the first TODO."""
    parts = [
        Part(f"TODO {n}", 24.0 if n == 1 else 0.0, points()[f"todo-{n}"], "" if n == 1 else "not today")
        for n in all_todos()
    ]
    parts += [
        Part(name, 0.0, points()[name.replace(" ", "-")]) for name in ("whole engine", "questions", "predictions")
    ]
    return Report(student, tuple(parts), refusals=("notebook 03: is damaged",))


def score(course, student):
    with Gradebook(f"sqlite:///{course}/gradebook.db", "durable") as book:
        return book.find_submission("lab-01", student).score


def everything(folder):
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def inbound(course, books):
    """Puts a folder into the exchange, as a student could."""
    folder = course / "exchange" / "durable" / "inbound"

    def put(name, time="2030-01-01 10:00:00.000000 UTC", stamp=None):
        made = folder / f"{name}+lab-01+{time}+abc"
        made.mkdir(parents=True)
        (made / "02_replay.ipynb").write_text(json.dumps(books()["02_replay"]), encoding="utf-8")
        (made / "timestamp.txt").write_text(time if stamp is None else stamp, encoding="utf-8")
        return made

    return put


def test_collecting_follows_no_link_and_stops_at_no_odd_name(course, inbound, tmp_path):
    (tmp_path / "secret").write_text(SECRET, encoding="utf-8")
    evil = inbound("eve")
    (evil / "01_event_sourcing.ipynb").symlink_to(tmp_path / "secret")
    (evil / "all").symlink_to(tmp_path)
    os.mkfifo(evil / "05_signals.ipynb")
    inbound("<img src=x onerror=alert(1)>")
    inbound("zed", time="no time at all")
    (evil.parent / "liz+lab-01+2030-01-01 10:00:00 UTC+x").symlink_to(tmp_path)
    inbound("ana", stamp="tomorrow, perhaps")
    assert steps.collect(course) == ("ana", "eve")
    assert SECRET.encode() not in everything(course / "submitted")
    assert [path.name for path in (course / "submitted" / "eve" / "lab-01").iterdir()].count("all") == 0
    done = steps.autograde(course, fake)
    assert [(one.student, one.problem) for one in done] == [("ana", ""), ("eve", "")]


def test_a_newer_submission_replaces_one_that_was_graded(course, inbound, books):
    inbound("ana")
    steps.collect(course)
    steps.autograde(course, fake)
    steps.collect(course)
    kept = prepare.original_of(course, "ana", "lab-01")
    assert kept == course / "originals" / "ana" / "lab-01", "the same one is not collected again"
    newer = inbound("ana", time="2031-01-01 10:00:00.000000 UTC")
    (newer / "02_replay.ipynb").write_text("newer", encoding="utf-8")
    steps.collect(course)
    assert prepare.original_of(course, "ana", "lab-01") == course / "submitted" / "ana" / "lab-01"
    steps.autograde(course, fake)
    assert (kept / "02_replay.ipynb").read_text(encoding="utf-8") == "newer"


def test_whatever_is_in_the_folder_nbgrader_sees_only_generated_files(course, hand_in, books, tmp_path):
    (tmp_path / "secret").write_text(SECRET, encoding="utf-8")
    folder = hand_in("ana", {"02_replay": books()["02_replay"], "04_retries_and_idempotency": "{", "extra": "[]"})
    (folder / "05_signals.ipynb").symlink_to(tmp_path / "secret")
    (folder / "data.txt").symlink_to(tmp_path / "secret")
    os.mkfifo(folder / "pipe")
    (folder / "lab").mkdir()
    (folder / "lab" / "engine.py").write_text("# mine\n", encoding="utf-8")
    (folder / "lab" / "big.bin").write_bytes(b"x" * 5_000_000)
    shutil.copytree(folder.parent, folder.parent.parent / "none", symlinks=True, ignore=lambda *_: ["pipe"])
    for path in (folder.parent.parent / "none" / "lab-01").iterdir():
        prepare.remove(path)
    assert [(one.student, one.problem) for one in steps.autograde(course, fake)] == [("ana", ""), ("none", "")]
    for name in ("ana", "none"):
        made = course / "autograded" / name / "lab-01"
        assert sorted(path.name for path in made.glob("*.ipynb")) == sorted(
            path.name for path in (course / "release" / "lab-01").glob("*.ipynb")
        )
        assert {path.name for path in made.iterdir()} - {path.name for path in made.glob("*.ipynb")} <= {
            "lab",
            "timestamp.txt",
            "submission_secret.txt",
        }
        assert score(course, name) == 24
    assert (course / "autograded" / "ana" / "lab-01" / "lab" / "engine.py").read_text(encoding="utf-8") == "# mine\n"
    assert SECRET.encode() not in everything(course / "autograded")
    assert (course / "originals" / "ana" / "lab-01" / "data.txt").is_symlink()


@pytest.mark.filterwarnings("ignore")  # of SQLAlchemy, to nbgrader
def test_formgraders_own_button_goes_the_same_way(course, hand_in, books, monkeypatch, tmp_path):
    """nbgrader's API, as Formgrader calls it: the hook prepares the files, and asks the checker for the report."""
    (tmp_path / "secret").write_text(SECRET, encoding="utf-8")
    folder = hand_in("ana", {"02_replay": "{"})
    (folder / "data.txt").symlink_to(tmp_path / "secret")
    monkeypatch.setattr("grader.marks.grade", fake)
    said = steps.api(course).autograde("lab-01", "ana")
    assert said["success"], said
    assert score(course, "ana") == 24
    assert SECRET.encode() not in everything(course / "autograded")


@pytest.mark.filterwarnings("ignore")
def test_a_report_that_was_left_behind_is_not_used_for_newer_files(course, hand_in, books, monkeypatch):
    """A run was killed after it had stored the report and before nbgrader used it; then a newer submission came."""
    folder = hand_in("ana", books())
    prepare.prepare(course, "ana", "lab-01")
    prepare.give_report(course, "ana", "lab-01", fake(folder, "ana"))
    shutil.rmtree(folder)
    newer = books()
    newer["02_replay"]["cells"][0]["source"] = "newer"
    hand_in("ana", newer)
    monkeypatch.setattr("grader.marks.grade", lambda folder, student: Report(student, (Part("TODO 1", 6.0, 24.0),)))
    assert steps.api(course).autograde("lab-01", "ana")["success"]
    assert score(course, "ana") == 6
    assert sorted(path.name for path in (course / "originals" / "ana").iterdir()) == ["lab-01", "lab-01.json"]


def test_the_engine_that_is_run_for_show_is_the_one_that_was_found_when_the_files_were_prepared(course, hand_in, books):
    folder = hand_in("ana", books(solved=True))
    (folder / "lab").mkdir()
    (folder / "lab" / "engine.py").write_text("# mine, and no engine\n", encoding="utf-8")
    original = prepare.prepare(course, "ana", "lab-01")
    assert prepare.engine_of(course, "ana", "lab-01") == read(original, "ana").whole
    assert prepare.engine_of(course, "bo", "lab-01") is None


@pytest.mark.filterwarnings("ignore")
def test_where_no_report_can_be_had_nothing_is_graded_and_nothing_is_left(course, hand_in, books, monkeypatch):
    def no(folder, student):
        raise RuntimeError("there is no sandbox")

    hand_in("ana", books())
    monkeypatch.setattr("grader.marks.grade", no)
    said = steps.api(course).autograde("lab-01", "ana")
    assert "there is no report on ana: RuntimeError: there is no sandbox" in said["log"]
    assert not (course / "autograded" / "ana" / "lab-01").exists()


def test_a_grading_that_was_killed_between_two_moves_goes_on(course, hand_in, books, monkeypatch):
    hand_in("ana", books())

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(prepare, "repaired", killed)
        with pytest.raises(KeyboardInterrupt):
            steps.autograde(course, fake)
    assert not (course / "submitted" / "ana" / "lab-01").exists()
    assert steps.students(course) == ("ana",)
    assert [one.problem for one in steps.autograde(course, fake)] == [""]
    assert sorted(path.name for path in (course / "originals" / "ana").iterdir()) == ["lab-01", "lab-01.json"]


def test_a_submission_that_nbgrader_cannot_read_has_0_points_and_a_reason_and_stops_no_other(
    course, hand_in, books, monkeypatch
):
    for name in ("ana", "bo", "no\nname"):
        hand_in(name, {"02_replay": books()["02_replay"]})
    put = prepare.give_report
    monkeypatch.setattr(steps, "give_report", lambda c, s, a, report: put(c, s, a, "none" if s == "ana" else report))
    done = {one.student: one.problem for one in steps.autograde(course, fake)}
    assert done["bo"] == ""
    assert "there is no report on ana" in done["ana"]
    assert "rename it" in done["no\nname"]
    assert (score(course, "ana"), score(course, "bo")) == (0, 24)
    with Gradebook(f"sqlite:///{course}/gradebook.db", "durable") as book:
        reason = book.find_comment("answer-05-signal", "05_signals", "lab-01", "ana").comment
    assert reason.startswith("This submission could not be graded: ")


def test_a_score_is_never_more_than_the_cell_gives_and_never_no_number(course, hand_in, books):
    def odd(folder, student):
        parts = [
            Part("TODO 1", 9999.0, 24.0),
            Part("TODO 2", float("nan"), 8.0),
            Part("TODO 3", -5.0, 14.0),
            Part("TODO 4", 8.0, 16.0),
        ]
        return Report(student, tuple(parts))

    hand_in("ana", books())
    [one] = steps.autograde(course, odd)
    assert one.problem == ""
    with Gradebook(f"sqlite:///{course}/gradebook.db", "durable") as book:
        grades = {g.name: g for n in book.find_submission("lab-01", "ana").notebooks for g in n.grades}
    assert {id: grades[id].auto_score for id in ("todo-1", "todo-2", "todo-3", "todo-4", "todo-5")} == {
        "todo-1": 24,
        "todo-2": 0,
        "todo-3": 0,
        "todo-4": 8,
        "todo-5": 0,
    }
    assert grades["todo-5"].needs_manual_grade, "a cell that the report does not know waits for a person"


@pytest.mark.long
def test_an_archive_of_a_learning_platform_is_collected_and_the_same_one_changes_nothing(course, books, tmp_path):
    def archive(name, answer):
        with zipfile.ZipFile(tmp_path / name, "w") as made:
            for student in ("Ana Müller_12345_assignsubmission_file_", "Bo Lee_777_assignsubmission_file_"):
                made.writestr(f"{student}/02_replay.ipynb", json.dumps(books()["02_replay"]))
                made.writestr(f"{student}/lab/engine.py", answer)
            made.writestr("../../evil.ipynb", "{}")
        return tmp_path / name

    first = collect_archive(course, archive("a.zip", "# one\n"))
    assert len(first.students) == 2
    assert steps.students(course) == first.students
    steps.autograde(course, fake)
    assert all(score(course, name) == 24 for name in first.students)
    assert collect_archive(course, archive("b.zip", "# one\n")).students == first.students
    originals = [prepare.original_of(course, name, "lab-01") for name in first.students]
    assert all(path.is_relative_to(course / "originals") for path in originals), "nothing is graded again"
    collect_archive(course, archive("c.zip", "# two\n"))
    steps.autograde(course, fake)
    assert {(path / "lab" / "engine.py").read_text(encoding="utf-8") for path in originals} == {"# two\n"}
    assert len(steps.feedback(course, give=True)) == 14
    assert not [path for path in course.iterdir() if path.name.startswith(".")]
    assert not (tmp_path.parent / "evil.ipynb").exists()
