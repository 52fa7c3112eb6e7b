"""A submission that cannot be marked is not graded, with a reason that says what to do; it never gets a 0."""

from __future__ import annotations

import errno
import json
import os
import socket

import pytest

from grader.handin import files, read
from tests.handin.handin import REFERENCE


@pytest.fixture
def denied(monkeypatch):
    """Makes paths that end like this unreadable, also for root."""

    def deny(ending, number=errno.EACCES):
        def refuse(real):
            def call(path, *given, **how):
                if os.fspath(path).endswith(ending):
                    raise OSError(number, os.strerror(number), os.fspath(path))
                return real(path, *given, **how)

            return call

        monkeypatch.setattr(files.os, "open", refuse(os.open))
        monkeypatch.setattr(files.os, "scandir", refuse(os.scandir))

    return deny


@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO])
@pytest.mark.parametrize("ending", ["/notebooks", "03_determinism.ipynb", "engine.py", "/ann"])
def test_what_this_machine_does_not_let_us_read_is_named_and_not_graded(solved, denied, ending, number):
    solved.files["lab/engine.py"] = REFERENCE.encode()
    solved.write()
    denied(ending, number)
    made = read(solved.folder, "ann")
    assert os.strerror(number) in made.not_graded
    assert "Make it readable" in made.not_graded
    assert ending.rpartition("/")[2].replace("ann", "the folder") in made.not_graded


def special(path, sort):
    if sort == "named pipe":
        os.mkfifo(path)
    elif sort == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(os.path.relpath(path))  # its name may have 107 bytes only
    else:
        path.symlink_to(path)


@pytest.mark.parametrize("sort", ["named pipe", "socket", "link"])
@pytest.mark.parametrize("name", ["03_determinism.ipynb", "engine.py", "notebooks"])
def test_what_is_no_file_is_named(tmp_path, monkeypatch, sort, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").mkdir()
    special(tmp_path / "a" / name, sort)
    made = read(tmp_path / "a", "ann")
    assert (
        made.not_graded
        == f"{name} is a {sort}, not a file, and nothing else can be read. Ask for the files themselves."
    )
    (tmp_path / "a" / "own.ipynb").write_text('{"cells": []}', encoding="utf-8")
    assert f"is a {sort}" in json.dumps(read(tmp_path / "a", "ann").refusals)


@pytest.mark.parametrize("name", ["onlinetext.html", "link.url", "essay.txt"])
def test_a_submission_of_only_text_or_a_link_is_not_graded(tmp_path, name):
    (tmp_path / name).write_text("x", encoding="utf-8")
    assert read(tmp_path, "ann").not_graded == f"Only a text or a link was handed in ({name}), and no notebook."


def test_a_submission_that_unpack_noted_as_only_text_is_not_graded(tmp_path):
    (tmp_path / ".unpacked.json").write_text('{"only": "a link"}', encoding="utf-8")
    assert read(tmp_path, "ann").not_graded == "Only a link was handed in, and no file."
    (tmp_path / "engine.py").write_text(REFERENCE, encoding="utf-8")
    assert not read(tmp_path, "ann").not_graded


def test_an_archive_that_was_not_unpacked_is_not_graded(tmp_path):
    (tmp_path / "work.zip").write_bytes(b"PK")
    assert "Unpack the class first" in read(tmp_path, "ann").not_graded


def test_an_empty_folder_and_files_that_are_no_work_have_0_with_a_reason(tmp_path):
    assert not read(tmp_path, "ann").not_graded
    (tmp_path / "essay.pdf").touch()
    made = read(tmp_path, "ann")
    assert not made.not_graded
    assert made.refusals == {
        "submission": "there is neither a notebook of the lab nor an engine.py in it; there is essay.pdf"
    }


def test_a_page_that_was_exported_from_a_notebook_is_named(solved):
    del solved.books["03_determinism"]
    solved.files["03_determinism.html"] = b"<html>"
    assert "03_determinism.html is damaged: it is not JSON" in json.dumps(solved.read().refusals)


def test_another_json_file_is_no_notebook_and_nothing_is_said_of_it(solved):
    solved.files[".vscode/settings.json"] = b'{"a": 1}'
    solved.files["data.json"] = b"[]"
    assert solved.read().repairs == ()
    assert solved.read().refusals == {}
    assert solved.read().whole == REFERENCE
