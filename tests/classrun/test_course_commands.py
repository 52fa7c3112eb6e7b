"""A course's commands: its submissions are graded like those of any class, and nbgrader gets the recorded marks."""

from __future__ import annotations

import zipfile
from types import SimpleNamespace

import pytest

from grader.classrun.recorded import read_book
from grader.nbgrader_course import steps
from grader.nbgrader_course.names import ASSIGNMENT


@pytest.fixture
def course(classroom, monkeypatch):
    """A course folder with two submissions, and an nbgrader that only records its calls."""
    folder = classroom.home / "course"
    for student, words in {"ana": "ok 1", "bo": "ok 2"}.items():
        (folder / "submitted" / student / ASSIGNMENT).mkdir(parents=True)
        (folder / "submitted" / student / ASSIGNMENT / "engine.py").write_text(words, encoding="utf-8")
    asked: list[tuple[object, ...]] = []

    def autograde(where, grade, only, *, show, tell):
        asked.append((show, [grade(where / "nowhere", name) for name in only]))
        done = [SimpleNamespace(student=name, problem="no such cell" if name == "bo" else "") for name in only]
        for one in done:
            tell(one)
        return done

    def noted(name, answer):
        return lambda *given, **how: (asked.append((name, *given[1:], how)), answer)[1]

    monkeypatch.setattr(steps, "config", lambda where: None)
    monkeypatch.setattr(steps, "autograde", autograde)
    for name, answer in {"generate": None, "release": None, "collect": ("ana", "bo"), "feedback": [1, 2]}.items():
        monkeypatch.setattr(steps, name, noted(name, answer))
    return folder, asked


def test_a_course_is_graded_once_and_nbgrader_is_given_what_is_recorded(classroom, course):
    folder, asked = course
    said = classroom.run("autograde", str(folder), "--show", code=1)
    assert "bo: nbgrader does not take it: no such cell" in said
    classroom.run("autograde", str(folder), code=1)
    assert classroom.graded == {"ana": 1, "bo": 1}
    reports = list(read_book(folder / "grades").reports)
    assert asked == [(True, reports), (False, reports)]
    assert (folder / "grades" / "class.html").is_file()


def test_who_has_no_mark_is_not_put_into_the_gradebook(classroom, course):
    folder, asked = course
    (folder / "submitted" / "ana" / ASSIGNMENT / "engine.py").write_text("bug", encoding="utf-8")
    classroom.run("autograde", str(folder), code=1)
    assert [[report.student for report in reports] for _, reports in asked] == [["bo"]]


def test_the_other_steps_are_nbgraders(classroom, course):
    folder, asked = course
    classroom.run("release", str(folder))
    classroom.run("release", str(folder), "--again")
    assert "2 hand-ins" in classroom.run("collect", str(folder))
    assert "--give hands them out" in classroom.run("feedback", str(folder))
    assert "students can fetch them" in classroom.run("feedback", str(folder), "--give")
    assert [name for name, *_ in asked] == ["release", "release", "collect", "feedback", "feedback"]
    assert [how for name, how in asked if name == "release"] == [{"again": False}, {"again": True}]
    assert asked[-1] == ("feedback", {"give": True})


def test_an_archive_is_collected_into_the_course(classroom, course):
    folder, _ = course
    with zipfile.ZipFile(classroom.home / "all.zip", "w") as archive:
        archive.writestr("cy/engine.py", "ok")
        archive.writestr("dina/engine.py", "ok")
        archive.writestr("cy/../../../evil.py", "bad")
    said = classroom.run("collect", str(folder), "all.zip")
    assert "left out" in said
    assert "2 hand-ins in the course" in said
    assert steps.students(folder) == ("ana", "bo", "cy", "dina")
    assert "gone.zip does not exist" in classroom.run("collect", str(folder), "gone.zip", code=2)


def test_what_nbgrader_says_is_one_line(classroom, course, monkeypatch):
    folder, _ = course

    def no(*given, **how):
        raise steps.CourseError("it is no course folder")

    monkeypatch.setattr(steps, "collect", no)
    assert classroom.run("collect", str(folder), code=2) == "lab-grader: it is no course folder\n"
    monkeypatch.setattr(steps, "students", lambda where: ())
    assert "no student has handed in" in classroom.run("autograde", str(folder), code=2)
