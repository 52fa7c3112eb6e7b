"""A course folder, and what students get of it."""

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from durable_lab import study
from durable_lab.todos import SKELETON
from grader.dev.build import StubError
from grader.errors import GraderError
from grader.nbgrader_course import cells, steps
from grader.nbgrader_course.make import make_course


def cells_of(folder):
    books = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.ipynb"))]
    return [cell for book in books for cell in book["cells"]]


def text(cell):
    return "".join(cell["source"])


def test_what_is_released_is_what_is_handed_out_cell_by_cell(released, books):
    given = {cell["id"]: cell for cell in cells_of(released / "release" / "lab-01")}
    for book in books().values():
        for cell in book["cells"]:
            assert text(given.pop(cell["id"])) == text(cell)
    assert [*given] == ["essay-question", "essay", "lesson-points", "questions", "predictions"]
    assert text(given["essay"]) == "YOUR ANSWER HERE"
    for path in SKELETON.glob("*.py"):
        assert (released / "release" / "lab-01" / "lab" / path.name).read_bytes() == path.read_bytes()


def test_the_instructor_has_the_answers_and_no_student_has(released, books):
    source = "\n".join(map(text, cells_of(released / "source" / "lab-01")))
    for book in books(solved=True).values():
        for cell in book["cells"]:
            if text(cell).startswith("@todo("):
                answer = [line for line in text(cell).splitlines() if "SOLUTION" not in line]
                assert all(line in source for line in answer)
    shown = "\n".join(path.read_text(encoding="utf-8") for path in (released / "release").rglob("*") if path.is_file())
    assert "SOLUTION" not in shown
    assert "For instructors; students" not in shown


def test_the_graded_cells_are_the_parts_of_the_rubric(released):
    graded = {}
    for cell in cells_of(released / "release" / "lab-01"):
        about = cell["metadata"].get("nbgrader", {})
        assert not about.get("grade") or about["solution"] or about["locked"]
        if about.get("grade"):
            graded[about["grade_id"]] = about["points"]
    assert graded == cells.points()
    assert [*graded] == [
        "todo-1",
        "todo-4",
        "todo-2",
        "todo-3",
        "todo-5",
        "whole-engine",
        "essay",
        "questions",
        "predictions",
    ]
    assert sum(graded.values()) == 100 + graded["essay"]


def test_a_todo_cell_whose_marks_are_lost_is_not_released_with_its_answer():
    with pytest.raises(StubError, match="has no ### BEGIN SOLUTION"):
        cells.without_answer("@todo(2)\ndef now(self):\n    return 1")
    assert "NotImplementedError" in cells.without_answer(
        "@todo(2)\ndef now(self):\n    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION"
    )


def test_a_course_is_made_again_without_losing_what_was_handed_in(course, hand_in, books):
    hand_in("ana", books())
    (course / "source" / "lab-01" / "lab" / "engine.py").write_text("old", encoding="utf-8")
    make_course(course)
    assert (course / "source" / "lab-01" / "lab" / "engine.py").read_text(encoding="utf-8") != "old"
    assert steps.students(course) == ("ana",)


def test_what_cannot_be_generated_leaves_the_old_release_where_it_was(course):
    path = course / "source" / "lab-01" / "03_determinism.ipynb"
    book = json.loads(path.read_text(encoding="utf-8"))
    todo = next(cell for cell in book["cells"] if text(cell).startswith("@todo("))
    todo["source"] = "@todo(2)\ndef now(self):\n    return 1"
    path.write_text(json.dumps(book), encoding="utf-8")
    before = sorted((course / "release" / "lab-01").iterdir())
    with pytest.raises(steps.CourseError, match="nothing would be cut"):
        steps.generate(course)
    assert sorted((course / "release" / "lab-01").iterdir()) == before
    assert [*(course / "release").iterdir()] == [course / "release" / "lab-01"]


def test_a_folder_that_is_no_course_is_said_to_be_none(tmp_path):
    with pytest.raises(steps.CourseError, match="is no course folder"):
        steps.collect(tmp_path)


def test_nbgrader_started_without_this_lab_stops_before_it_runs_anything(released, tmp_path):
    code = "import runpy, sys; sys.modules['grader'] = None; runpy.run_path('nbgrader_config.py', {'get_config': dict})"
    done = subprocess.run([sys.executable, "-c", code], cwd=released, capture_output=True, text=True)
    assert done.returncode == 1
    assert "start nbgrader from the lab's own environment" in done.stderr


@pytest.fixture
def fetched(released, tmp_path, monkeypatch):
    """A student's home, with the assignment in it."""
    folder = tmp_path / "lab-01"
    folder.mkdir()
    (folder / "lab").symlink_to(released / "release" / "lab-01" / "lab")
    monkeypatch.delenv("LAB_WORKSPACE", raising=False)
    monkeypatch.delenv("LAB_MODULE", raising=False)
    monkeypatch.chdir(folder)
    return folder


def test_in_a_fetched_assignment_the_engine_under_study_is_the_one_beside_the_notebooks(fetched):
    assert study.current().path == fetched / "lab" / "engine.py"
    assert study.current().label == "lab (lab/engine.py)"


def test_elsewhere_it_is_the_labs_own_and_a_workspace_that_is_named_comes_first(fetched, tmp_path, monkeypatch):
    monkeypatch.setenv("LAB_WORKSPACE", str(study.LAB_DIR))
    assert study.current().folder == study.LAB_DIR
    monkeypatch.delenv("LAB_WORKSPACE")
    monkeypatch.chdir(tmp_path)
    assert study.current().folder == study.LAB_DIR


def test_the_reference_is_never_taken_from_the_current_folder(fetched, monkeypatch):
    monkeypatch.setenv("LAB_MODULE", "solution")
    (fetched / "solution").mkdir()
    (fetched / "solution" / "engine.py").write_text("", encoding="utf-8")
    assert study.current().folder == study.ROOT


# ------------------------------------------------------------ the exchange


def test_a_correction_is_handed_out_in_place_of_what_was_released(course):
    path = course / "source" / "lab-01" / "03_determinism.ipynb"
    book = json.loads(path.read_text(encoding="utf-8"))
    book["cells"].insert(2, {"cell_type": "markdown", "id": "note", "metadata": {}, "source": "A clarification."})
    path.write_text(json.dumps(book), encoding="utf-8")
    with pytest.raises(steps.CourseError, match="add --again"):
        steps.release(course)
    steps.release(course, again=True)
    [given] = (course / "exchange").glob("*/outbound/lab-01/03_determinism.ipynb")
    assert "A clarification." in given.read_text(encoding="utf-8")


def test_no_student_can_rename_the_folder_of_a_course_in_the_exchange(released):
    mode = (released / "exchange").stat().st_mode
    assert mode & stat.S_IWOTH, "nbgrader looks for it"
    assert mode & stat.S_ISVTX


@pytest.mark.parametrize("name", ["Lab [WS26]", "lab*", "what?", "{course}"])
def test_a_path_that_nbgrader_takes_for_a_pattern_is_refused_before_anything_is_made(tmp_path, name):
    with pytest.raises(GraderError, match="for a pattern"):
        make_course(tmp_path / name)
    with pytest.raises(GraderError, match="for a pattern"):
        make_course(tmp_path / "plain", exchange=tmp_path / name)
    assert [*tmp_path.iterdir()] == []


def test_a_course_that_was_moved_to_such_a_path_says_so(course):
    moved = course.rename(course.with_name("course [2]"))
    with pytest.raises(steps.CourseError, match="for a pattern"):
        steps.release(moved)


# ------------------------------------------------------------ Validate


def validated(folder, books, monkeypatch):
    """What nbgrader's Validate says of the cell `check(2)` of this notebook, run with the TODO cell before it."""
    from nbgrader.validator import Validator

    monkeypatch.setenv("LAB_WORKSPACE", str(folder))
    monkeypatch.setenv("LAB_MODULE", "lab")
    book = books["03_determinism"]
    kept = [cell for cell in book["cells"] if text(cell).startswith(("@todo(2)", "check(2)"))]
    kept[0]["source"] = f"from durable_lab.lesson import check, todo\n\n{text(kept[0])}"
    about = {"grade": True, "solution": False, "locked": True, "task": False, "schema_version": 3}
    for cell in kept:
        if text(cell) == "check(2)":
            cell["metadata"]["nbgrader"] = {**about, "grade_id": "todo-2", "points": 8, "cell_type": "code"}
    assert len(kept) == 2
    (folder / "book.ipynb").write_text(json.dumps({**book, "cells": kept}), encoding="utf-8")
    monkeypatch.chdir(folder)
    return Validator().validate("book.ipynb")


def engine_in(folder, source):
    (folder / "lab").mkdir()
    for path in SKELETON.glob("*.py"):
        (folder / "lab" / path.name).write_bytes(path.read_bytes())
    (folder / "lab" / "engine.py").write_text(source, encoding="utf-8")
    return folder


def test_validate_of_a_notebook_as_it_was_handed_out_says_that_it_fails(tmp_path, books, monkeypatch):
    engine_in(tmp_path, (SKELETON / "engine.py").read_text(encoding="utf-8"))
    [failed] = validated(tmp_path, books(), monkeypatch)["failed"]
    assert failed["source"] == "check(2)"
    assert "TODO 2 is still to be written" in str(failed)
    assert "lesson/checking.py" not in str(failed), "no way to the verdict through our code"


@pytest.mark.long
def test_validate_of_a_solved_notebook_says_that_it_passes(tmp_path, books, monkeypatch):
    source = (study.ROOT / "solution" / "engine.py").read_text(encoding="utf-8")
    engine_in(tmp_path, re.sub(r"\n *### (BEGIN|END) SOLUTION", "", source))
    assert validated(tmp_path, books(solved=True), monkeypatch) == {}


@pytest.mark.long
def test_the_students_jupyterlab_has_no_panels_of_nbgrader():
    """`make lab` starts JupyterLab with this folder of settings."""
    env = {**os.environ, "JUPYTER_CONFIG_PATH": str(Path(sys.prefix, "etc", "student"))}
    command = [sys.executable, "-m", "jupyter", "labextension", "list"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True, cwd=sys.prefix)
    plain = re.sub(r"\x1b\[\d*m", "", done.stdout + done.stderr)
    assert re.search(r"@jupyter/nbgrader v[\d.]+ disabled", plain)


def test_a_step_leaves_the_environment_as_it_was(course):
    before = dict(os.environ)
    steps.students(course)
    steps.api(course)
    assert dict(os.environ) == before
