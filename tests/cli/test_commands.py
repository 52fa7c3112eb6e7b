"""The student's command, on a workspace of its own."""

import os
import shutil
import subprocess
import sys

import pytest

from durable_lab import source, todos
from durable_lab.study import ROOT
from durable_lab.todos import SKELETON

SOLUTION = (ROOT / "solution" / "engine.py").read_text(encoding="utf-8")


@pytest.fixture
def workspace(tmp_path):
    shutil.copytree(SKELETON, tmp_path / "lab", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def fill(workspace, *numbers):
    path = workspace / "lab" / "engine.py"
    text = path.read_text(encoding="utf-8")
    for number in numbers:
        for part in todos.all_todos()[number].parts:
            text = source.replace_function(text, part.function, source.text_of(SOLUTION, part.function))
    path.write_text(text, encoding="utf-8")


def durable_lab(workspace, *arguments, **env):
    env = {**os.environ, "LAB_MODULE": "lab", "LAB_WORKSPACE": str(workspace), "COLUMNS": "200", **env}
    command = [sys.executable, "-m", "durable_lab", *arguments]
    return subprocess.run(command, cwd=workspace, env=env, capture_output=True, text=True, timeout=120, check=False)


def test_on_a_fresh_lab_it_says_that_0_of_14_is_right_and_names_the_first_todo_with_file_and_line(workspace):
    done = durable_lab(workspace)
    assert done.returncode == 0
    assert "0 of 14 tests pass" in done.stdout
    assert "0 of 14 is right" in done.stdout
    line = todos.open_todos((workspace / "lab" / "engine.py").read_text())[1]
    assert f"TODO 1: lab/engine.py, line {line}" in done.stdout
    assert "durable-lab check 1" in done.stdout


def test_with_all_todos_written_it_shows_14_of_14_and_the_next_step(workspace):
    fill(workspace, 1, 2, 3, 4, 5)
    done = durable_lab(workspace)
    assert "14 of 14 tests pass" in done.stdout
    assert "LAB_MODULE=lab durable-lab demo" in done.stdout


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
@pytest.mark.long(every=3)
def test_one_todo_can_be_checked_before_any_other_is_written(workspace, number):
    fill(workspace, number)
    done = durable_lab(workspace, "check", str(number))
    assert done.returncode == 0, done.stdout
    assert "substituted by the reference" in done.stdout
    assert "FAIL" not in done.stdout


def test_a_check_of_an_open_todo_fails_and_says_what_to_write(workspace):
    done = durable_lab(workspace, "check", "2")
    assert done.returncode == 1
    assert "TODO 2 is still to be written: Context.now" in done.stdout


def test_a_broken_rule_is_reported_in_five_parts_without_a_traceback(workspace):
    fill(workspace, 1, 2, 3, 4, 5)
    path = workspace / "lab" / "engine.py"
    forgetful = "    def now(self):\n        return self._engine.clock.now()"
    path.write_text(source.replace_function(path.read_text(), "Context.now", forgetful))
    done = durable_lab(workspace, "check")
    assert done.returncode == 1
    for word in ("R7", "history says", "your code asked for", "first difference", "read"):
        assert word in done.stdout
    assert "Traceback" not in done.stdout


def test_hints_are_three_rungs_the_first_a_question_and_none_is_the_answer(workspace):
    for number, todo in todos.all_todos().items():
        answers = [source.text_of(SOLUTION, part.function) for part in todo.parts]
        lines = {line.strip() for text in answers for line in text.splitlines() if len(line.strip()) > 40}
        for rung in (1, 2, 3):
            shown = durable_lab(workspace, "hint", str(number), str(rung)).stdout
            assert f"hint {rung} of 3" in shown
            assert not [line for line in lines if line in shown]
        assert "?" in todo.hints[0]


def test_reset_puts_one_todo_back_keeps_the_others_and_a_backup(workspace):
    fill(workspace, 1, 2)
    path = workspace / "lab" / "engine.py"
    before = path.read_text()
    assert durable_lab(workspace, "reset", "2").returncode == 0
    assert list(todos.open_todos(path.read_text())) == [4, 2, 3, 5]
    durable_lab(workspace, "reset", "1")
    backups = sorted(p.read_text() for p in (workspace / "lab").glob("engine.py.backup-*"))
    assert before in backups
    assert len(backups) == 2
    assert path.read_text() == (SKELETON / "engine.py").read_text()


def test_a_syntax_error_is_one_line_that_names_file_and_line(workspace):
    path = workspace / "lab" / "engine.py"
    path.write_text(path.read_text() + "\ndef broken(:\n")
    line = len(path.read_text().splitlines())
    for arguments in ([], ["check", "1"], ["reset", "1"]):
        done = durable_lab(workspace, *arguments)
        assert done.returncode == 2
        assert f"engine.py, line {line}" in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1


def test_doctor_names_what_is_there_and_where_the_rest_comes_from(workspace):
    done = durable_lab(workspace, "doctor")
    assert done.returncode == 0
    assert "Python" in done.stdout
    assert "lab (lab/engine.py)" in done.stdout


@pytest.mark.parametrize("arguments", [[], ["check"], ["demo"]])
def test_a_wrong_engine_name_is_one_clear_line_and_exit_code_2(workspace, arguments):
    done = durable_lab(workspace, *arguments, LAB_MODULE="nonsense")
    assert done.returncode == 2
    assert (
        done.stderr.strip()
        == "durable-lab: LAB_MODULE is 'nonsense'; it must be 'lab' (your engine) or 'solution' (the reference)."
    )


def test_the_demo_on_the_students_own_engine_shows_one_refund_and_that_no_replay_costs_anything(workspace):
    fill(workspace, 1, 2, 3, 4, 5)
    done = durable_lab(workspace, "demo")
    assert done.returncode == 0, done.stderr
    assert "lab (lab/engine.py)" in done.stdout
    assert "new effects in the world: 0" in done.stdout
    assert "refunds paid by the bank: 1" in done.stdout
    assert "killed" in done.stdout


@pytest.mark.parametrize("point", ["assess.effect", "approval.delivered", "send_email.recorded"])
def test_the_demo_is_killed_once_in_any_step_and_the_bank_pays_once(workspace, point):
    done = durable_lab(workspace, "demo", "--kill-at", point, LAB_MODULE="solution")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("killed (exit code ") == 1
    assert "refunds paid by the bank: 1" in done.stdout


def test_the_demo_with_a_naive_bank_shows_the_second_refund(workspace):
    done = durable_lab(workspace, "demo", "--naive", LAB_MODULE="solution")
    assert done.returncode == 0, done.stderr
    assert "refunds paid by the bank: 2" in done.stdout


def test_the_command_starts_without_modules_that_are_slow_to_import():
    slow = {"importlib.metadata", "matplotlib", "pydantic", "pytest", "rich.markdown", "typer.rich_utils"}
    code = f"import sys; import durable_lab.cli.main; print(*sorted({slow!r} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == []
