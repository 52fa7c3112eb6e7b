"""The output of `lab-grader` can be pasted, and a lost or narrow terminal does not end grading."""

import os
import shlex
import subprocess
import sys

import pytest


def grader(*words, cwd, **options):
    command = [sys.executable, "-m", "grader", *map(str, words)]
    return subprocess.run(command, cwd=cwd, capture_output=True, check=False, stdin=subprocess.DEVNULL, **options)


@pytest.fixture
def hand_ins(tmp_path):
    """One student, whose name no narrow encoding has."""
    (tmp_path / "all" / "zoë ★" / "lab").mkdir(parents=True)
    (tmp_path / "all" / "zoë ★" / "lab" / "engine.py").write_text("x = 1\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("into", ["my class", "it's", "$HOME", "a;b", "*"])
def test_the_next_command_can_be_pasted_whatever_a_folder_is_called(hand_ins, into):
    said = grader("unpack", "all", into, cwd=hand_ins).stdout.decode()
    assert shlex.split(said.splitlines()[-1]) == ["next", "lab-grader", "grade", into]


@pytest.mark.skipif(os.name != "posix", reason="names are text here, and there is no sh")
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize(
    "name", [b"o\x1b[2J", b"two\nlines", b"tab\there", b"\xff", b"back\\slash", "zoë ★".encode(), b"-x"]
)
@pytest.mark.long(every=4)
def test_no_name_of_a_folder_reaches_the_terminal_raw_and_the_next_command_still_names_it(hand_ins, name, encoding):
    env = {**os.environ, "PYTHONIOENCODING": encoding}
    command = [sys.executable, "-m", "grader", "unpack", "all", "--", name]
    said = subprocess.run(command, cwd=hand_ins, capture_output=True, check=True, env=env).stdout.decode(encoding)
    assert said.replace("\n", "").isprintable()
    *_, last = said.splitlines()
    assert last.startswith("next      lab-grader grade ")
    shell = ["bash", "-c", f"printf %s {last.removeprefix('next      lab-grader grade ')}"]
    assert os.path.normpath(subprocess.run(shell, capture_output=True, check=True).stdout) == name


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp437", "latin-1"])
def test_a_name_that_the_terminal_has_no_letters_for_is_shown_escaped(hand_ins, encoding):
    env = {**os.environ, "PYTHONIOENCODING": encoding}
    done = grader("unpack", "all", "out", cwd=hand_ins, env=env)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"1 student" in done.stdout


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")  # noqa: PTH110
def test_an_output_without_room_does_not_end_the_work(hand_ins):
    with open("/dev/full", "w") as full:  # noqa: PTH123
        command = [sys.executable, "-m", "grader", "unpack", "all", "out"]
        done = subprocess.run(command, cwd=hand_ins, stdout=full, stderr=subprocess.PIPE, check=False)
    assert [*(hand_ins / "out").rglob("engine.py")]
    assert done.returncode == 0
    assert b"lab-grader: the output was lost" in done.stderr
    assert b"Traceback" not in done.stderr
