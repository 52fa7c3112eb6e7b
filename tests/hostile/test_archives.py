"""Hostile archives: see `archives.py`."""

import os
from pathlib import Path

import pytest

from grader.classrun.grading import GradeOptions, grade_all
from grader.handin import unpack
from grader.marks import grade
from tests.hostile.archives import ARCHIVES, HONEST
from tests.hostile.attack import SOLVED, attacks


@pytest.mark.parametrize("make", ARCHIVES, ids=lambda make: make.__name__)
@pytest.mark.long(every=10)
def test_a_hostile_archive_harms_no_other_student(make, survive, tmp_path):
    room = tmp_path / "collected"
    room.mkdir()
    archive = make(room, tmp_path)
    into = tmp_path / "unpacked" / "here"
    into.parent.mkdir()
    collected = unpack(archive, into)
    inside = [Path(here, name) for here, folders, files in os.walk(into) for name in (*folders, *files)]
    assert {path.name for path in into.parent.iterdir()} == {"here"}
    assert not [path for path in inside if path.is_symlink() or not (path.is_file() or path.is_dir())]
    assert not [
        path for path in inside if path.is_file() and (path.stat().st_mode & 0o7111 or path.stat().st_nlink > 1)
    ]
    assert sum(path.stat().st_size for path in inside) < 450_000_000
    folders = {student: folder for student, folder, *_ in collected}
    ann = [
        folder for folder in folders.values() if (folder / "lab" / "engine.py").is_file() and _text(folder) == HONEST
    ]
    assert len(ann) == 1
    assert grade(ann[0], "ann").points == 8
    mallory = folders["mallory"]
    assert survive(mallory).points == 0
    for one in collected:
        assert all(line.isprintable() and len(line) < 500 for line in one.refusals)


def _text(folder):
    return (folder / "lab" / "engine.py").read_text(encoding="utf-8")


class NoProgress:
    def begins(self, total, done):
        pass

    def graded(self, entry):
        pass


@pytest.mark.long
def test_a_class_with_some_of_them_in_it_is_graded_to_its_end(tmp_path):
    """As a class, in processes of their own: each has a mark, and the honest one has its own."""
    chosen = ("exits_on_import", "raises_a_keyboard_interrupt", "leaves_a_daemon", "kills_everybody", "half_letters")
    chosen += ("a_billion_laughs", "a_chain_of_classes", "raises_an_argument_that_dies_when_read")
    for attack in (*attacks("engines"), *attacks("wire")):
        if attack.path.stem in chosen:
            folder = tmp_path / "class" / attack.path.stem / "lab"
            folder.mkdir(parents=True)
            (folder / "engine.py").write_text(attack.engine(secrets=[]), encoding="utf-8")
    folder = tmp_path / "class" / "zoe" / "lab"
    folder.mkdir(parents=True)
    (folder / "engine.py").write_text(SOLVED, encoding="utf-8")
    book = grade_all(GradeOptions(tmp_path / "class", tmp_path / "grades", jobs=2), NoProgress())
    points = {entry.student: entry.report.points for entry in book.entries}
    assert points == {**dict.fromkeys(chosen, 0), "leaves_a_daemon": 84, "zoe": 84}
