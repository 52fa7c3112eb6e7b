"""`lab-grader unpack`, and `grade` on what it makes."""

from __future__ import annotations

import zipfile


def test_an_archive_becomes_a_class_and_files_that_were_left_out_are_listed(classroom):
    with zipfile.ZipFile(classroom.home / "all.zip", "w") as archive:
        for name in ("ana", "bo"):
            archive.writestr(f"{name}/engine.py", "ok")
        archive.writestr("ana/../../../evil.py", "bad")
    said = classroom.run("unpack", "all.zip", "class")
    assert "2 students in class" in said
    assert "left out" in said
    assert "2 to grade" in classroom.run("grade", "class")
    assert sorted(classroom.marks()) == ["ana", "bo"]
    assert not list(classroom.home.rglob("evil.py"))


def test_no_archive_is_one_line(classroom):
    assert classroom.run("unpack", "gone.zip", "class", code=2).startswith("lab-grader: gone.zip does not exist.")
