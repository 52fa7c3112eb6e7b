"""A course folder, and what students get of it."""

import json
import subprocess
import sys

import pytest

from durable_lab import study
from durable_lab.todos import SKELETON
from grader.build import BuildError
from grader.course import cells, steps
from grader.course.make import make_course


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
    assert "For whoever grades" not in shown


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
    with pytest.raises(BuildError, match="has no ### BEGIN SOLUTION"):
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


def test_the_reference_is_never_taken_from_the_folder_one_stands_in(fetched, monkeypatch):
    monkeypatch.setenv("LAB_MODULE", "solution")
    (fetched / "solution").mkdir()
    (fetched / "solution" / "engine.py").write_text("", encoding="utf-8")
    assert study.current().folder == study.ROOT
