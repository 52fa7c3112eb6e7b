"""Whatever state the engine's file is in, every command gives one clear line, and `reset` restores a lost file."""

import os
import shutil
import subprocess
import sys
import time

import pytest

from durable_lab import study
from durable_lab.lesson import attempt_run, check, engine
from durable_lab.lesson.story import begin
from durable_lab.study import ROOT, StudyError
from durable_lab.todos import SKELETON

SOLUTION = (ROOT / "solution" / "engine.py").read_bytes()


@pytest.fixture
def file(tmp_path, monkeypatch):
    """The file of a lab in which every TODO is written."""
    shutil.copytree(SKELETON, tmp_path / "lab", ignore=shutil.ignore_patterns("__pycache__"))
    path = tmp_path / "lab" / "engine.py"
    path.write_bytes(SOLUTION)
    monkeypatch.setenv("LAB_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("LAB_MODULE", "lab")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(study, "IMPORT_SECONDS", 1)
    return path


def durable_lab(*arguments):
    command = [sys.executable, "-m", "durable_lab", *arguments]
    return subprocess.run(command, env={**os.environ, "COLUMNS": "200"}, capture_output=True, text=True, timeout=120)


def as_folder(path):
    path.unlink()
    path.mkdir()


def at_the_end(line):
    return lambda path: path.write_bytes(SOLUTION + line.encode() + b"\n")


BROKEN = {
    "latin-1": (lambda p: p.write_bytes(SOLUTION + "# für\n".encode("latin-1")), "Save the file in UTF-8"),
    "latin-1 in the first line": (lambda p: p.write_bytes("# für\n".encode("latin-1")), "line 1 has the byte 0xfc"),
    "utf-16": (lambda p: p.write_bytes(SOLUTION.decode().encode("utf-16")), "looks like UTF-16"),
    "utf-16 without a mark": (lambda p: p.write_bytes(SOLUTION.decode().encode("utf-16-le")), "looks like UTF-16"),
    "an unknown coding": (lambda p: p.write_bytes(b"# coding: latin-99\n"), "unknown encoding: latin-99"),
    "a null character": (lambda p: p.write_bytes(SOLUTION + b"\0"), "null character"),
    "deleted": (lambda p: p.unlink(), "there is no file"),
    "a folder": (as_folder, "is a folder"),
    "empty": (lambda p: p.write_bytes(b"\n"), "is empty"),
    "no python": (lambda p: p.write_bytes(b"x = 1\ndef (:\n"), "line 2: SyntaxError"),
    "sys.exit": (at_the_end("import sys; sys.exit(3)"), "SystemExit: 3"),
    "raise SystemExit": (at_the_end("raise SystemExit"), "SystemExit"),
    "os._exit": (at_the_end("import os; os._exit(0)"), "ended the process (exit code 0)"),
    "input": (at_the_end("input()"), "asks for input()"),
    "breakpoint": (at_the_end("breakpoint()"), "breakpoint() was left in"),
    "a loop": (at_the_end("while True: pass"), "did not end within 1 seconds"),
    "a long sleep": (at_the_end("import time; time.sleep(1000)"), "did not end within 1 seconds"),
    "a loop that catches all": (
        at_the_end("while True:\n    try:\n        x = 1\n    except BaseException:\n        pass"),
        "did not end within 1 seconds",
    ),
    "a name that is not there": (at_the_end("unknown"), "NameError: name 'unknown' is not defined"),
}


@pytest.mark.parametrize("kind", BROKEN)
@pytest.mark.long(every=5)
def test_a_broken_file_is_one_clear_line_from_check_engine_and_attempt_run(file, kind):
    spoil, said = BROKEN[kind]
    spoil(file)
    begun = time.monotonic()
    lines = {
        repr(check(1)),
        repr(check()),
        repr(attempt_run(lambda ctx, _: 1, object())),
        repr(begin("w-1", needs=(3,))),
    }
    with pytest.raises(StudyError) as error:
        engine()
    lines.add(str(error.value))
    for line in lines:
        assert said in line
        assert "\n" not in line
    assert time.monotonic() - begun < 30, "the import is tried once, not at every call"


@pytest.mark.parametrize("line", ["while True: pass", "raise SystemExit"])
def test_the_line_is_named(file, line):
    at_the_end(line)(file)
    with pytest.raises(StudyError, match=rf"engine\.py, line {SOLUTION.count(10) + 1}: "):
        engine()


@pytest.mark.parametrize("line", ["while True: pass", "raise SystemExit", "unknown"])
def test_another_file_that_imports_the_engine_is_not_blamed_for_it(file, line):
    at_the_end(line)(file)
    with pytest.raises(StudyError, match=rf"engine\.py, line {SOLUTION.count(10) + 1}: "):
        study.current().module("refund")


def test_a_folder_that_may_not_be_entered_is_one_line(file, monkeypatch):
    def refuse(path, **how):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.stat", refuse)
    assert "engine.py cannot be read: Permission denied" in repr(check(1))


@pytest.mark.parametrize("kind", ["latin-1", "deleted", "a folder", "empty", "sys.exit", "os._exit", "no python"])
@pytest.mark.parametrize("arguments", [(), ("check", "2"), ("check",)])
@pytest.mark.long(every=5)
def test_the_command_says_it_in_one_line(file, kind, arguments):
    spoil, said = BROKEN[kind]
    spoil(file)
    done = durable_lab(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    assert line.startswith("durable-lab: ")
    assert said in line


def test_a_file_that_may_not_be_read_is_one_line(file, monkeypatch, capsys):
    def refuse(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("durable_lab.files.read", refuse)
    for line in (repr(check(1)), repr(attempt_run(lambda ctx, _: 1, object()))):
        assert "engine.py cannot be read: Permission denied" in line
        assert "\n" not in line


@pytest.mark.parametrize("form", [b"\xef\xbb\xbf" + SOLUTION, SOLUTION.replace(b"\n", b"\r\n")], ids=["BOM", "CRLF"])
def test_a_byte_order_mark_and_line_ends_of_windows_are_read(file, form):
    file.write_bytes(form)
    assert attempt_run(lambda ctx, _: ctx.now(), begin("w-1")).status == "completed"
    assert check(2).points == (2, 2)


def test_in_a_notebook_the_message_has_no_traceback():
    assert StudyError("one line")._render_traceback_() == ["one line"]


def test_a_run_that_does_not_end_gives_the_kernel_back(file, monkeypatch):
    monkeypatch.setattr("durable_lab.lesson.trying.RUN_SECONDS", 0.2)
    text = SOLUTION.decode().replace("    def now(self) -> float:", "    def now(self):\n        while True: pass\n")
    file.write_text(text)
    said = repr(attempt_run(lambda ctx, _: ctx.now(), begin("w-1")))
    assert "did not return within 0.2 seconds" in said
    assert "in now: while True: pass" in said


@pytest.mark.parametrize("kind", BROKEN)
@pytest.mark.long(every=5)
def test_reset_restores_the_whole_file_and_keeps_the_old_one(file, kind):
    BROKEN[kind][0](file)
    before = file.read_bytes() if file.is_file() else None
    done = durable_lab("reset")
    assert done.returncode == 0, done.stderr
    assert file.read_bytes() == (SKELETON / "engine.py").read_bytes()
    kept = list(file.parent.glob("engine.py.backup-*"))
    assert [path.read_bytes() for path in kept if path.is_file()] == ([before] if before is not None else [])
    assert len(kept) == (kind != "deleted")
    assert "nothing is changed" in durable_lab("reset").stdout


def test_reset_makes_the_lab_from_nothing(file):
    shutil.rmtree(file.parent)
    assert durable_lab("reset", "2").returncode == 0
    assert engine().WorkflowState("w-1").commands == []
