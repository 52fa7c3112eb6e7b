"""A course that is made, generated and released once, and submissions for it."""

import json
import shutil
import tomllib
from pathlib import Path

import pytest

from grader.dev import build
from grader.nbgrader_course.make import make_course
from grader.nbgrader_course.steps import release

PAYLOADS = tomllib.loads(Path(__file__).with_name("payloads.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def released(tmp_path_factory):
    """A course folder with a released assignment. Tests take a copy: see `course`."""
    folder = make_course(tmp_path_factory.mktemp("course") / "durable")
    release(folder)
    return folder


@pytest.fixture
def course(released, tmp_path):
    """A course folder of its own. The exchange is in it, and moves along."""
    folder = tmp_path / "course"
    shutil.copytree(released, folder)
    return folder


@pytest.fixture(scope="session")
def books():
    """Every notebook as JSON data, by stem: `books(solved=True)` with the answers."""

    def make(solved):
        return {path.stem: json.loads(text) for path, text in build.notebooks(solved=solved).items()}

    made = {solved: make(solved) for solved in (False, True)}
    return lambda solved=False: json.loads(json.dumps(made[solved]))


@pytest.fixture
def hand_in(course):
    """Put notebooks (stem -> data, or text) into a student's submission. Returns the folder."""

    def put(student, notebooks):
        folder = course / "submitted" / student / "lab-01"
        folder.mkdir(parents=True)
        for stem, book in notebooks.items():
            text = book if isinstance(book, str) else json.dumps(book)
            (folder / f"{stem}.ipynb").write_text(text, encoding="utf-8")
        return folder

    return put
