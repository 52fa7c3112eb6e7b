"""A student completes the lab TODO by TODO: the output of the 14 tests at each step, and after a mistake."""

import shutil
from pathlib import Path

import pytest

from durable_lab import todos
from durable_lab.study import LAB_DIR
from durable_lab.todos import SKELETON

COUNT = 14


def not_a_traceback(message):
    """Check that a failure message is short and has no traceback."""
    assert message
    assert len(message) < 1500
    for sign in ("Traceback", "NotImplementedError", "assert ", ".py:", "\n>", "E   "):
        assert sign not in message


def test_a_fresh_lab_fails_all_14_with_a_short_message_each(run_14, lab):
    done = run_14(lab)
    assert (done.code, len(done.said), done.passed) == (1, COUNT, [])
    for message in done.said.values():
        not_a_traceback(message)
        assert len(message.splitlines()) == 1
        assert message.startswith(("TODO 1 is still to be written: ", "waits for TODO 1"))
    assert "Traceback" not in done.out
    assert "0 of 14 pass. That is right for a fresh lab: 5 TODOs are open. Next: TODO 1, " in done.out


def test_filling_the_todos_in_order_passes_more_tests_each_time_and_names_the_next(run_14, filled):
    order = [*todos.all_todos()]
    assert order == [1, 4, 2, 3, 5]
    counts, passed = [], set()
    for step in range(1, len(order) + 1):
        done = run_14(filled(*order[:step]))
        assert len(done.said) == COUNT
        assert passed <= set(done.passed), "a test that passed fails after one more TODO"
        passed = set(done.passed)
        counts.append(len(passed))
        if step == len(order):
            break
        assert done.code == 1
        following = order[step]
        assert f"Next: TODO {following}, " in done.out
        for message in filter(None, done.said.values()):
            not_a_traceback(message)
            named = next(n for n in order[step:] if f"TODO {n}" in message)
            assert message.startswith((f"TODO {named} is still to be written: ", f"waits for TODO {named}"))
        assert any(f"TODO {following}" in message for message in done.said.values())
    assert (done.code, counts[-1]) == (0, COUNT)
    assert "14 of 14 pass" in done.out
    assert counts[1:] == sorted(set(counts[1:])), f"each TODO after the second passes more: {counts}"
    assert counts[0] <= counts[1]


def test_an_unknown_lab_module_ends_with_exit_code_2_and_one_line_about_it(run_pytest):
    done = run_pytest("tests/lab", "-q", LAB_MODULE="nonsense")
    assert done.code == 2
    [line] = [line for line in (done.out + done.err).splitlines() if line.strip()]
    assert "LAB_MODULE is 'nonsense'" in line
    assert "'lab'" in line
    assert "'solution'" in line


def test_a_workspace_without_an_engine_ends_with_exit_code_2_and_names_the_file(run_pytest, tmp_path):
    done = run_pytest("tests/lab", "-q", LAB_MODULE="lab", LAB_WORKSPACE=str(tmp_path))
    assert done.code == 2
    assert "there is no file" in done.out + done.err
    assert str(tmp_path / "lab" / "engine.py") in done.out + done.err


def test_a_syntax_error_is_one_clear_line_for_each_test_with_file_and_line(run_14, lab, tmp_path):
    lines = lab.splitlines()
    lines[99] = "def (:"
    done = run_14("\n".join(lines))
    assert (done.code, len(done.said), done.passed) == (1, COUNT, [])
    for message in done.said.values():
        not_a_traceback(message)
        assert len(message.splitlines()) == 1
        assert f"{tmp_path / 'lab' / 'engine.py'}, line 100: SyntaxError: " in message
    assert "cannot be read as Python" in done.out


def test_an_error_on_import_is_one_clear_line_with_file_and_line(run_14, lab):
    done = run_14(lab + "\nunknown_name\n", "-k", "signal")
    line = len(lab.splitlines()) + 2
    assert (done.code, len(done.said) > 1, done.passed) == (1, True, [])
    for message in done.said.values():
        not_a_traceback(message)
        assert f"line {line}: NameError: name 'unknown_name' is not defined" in message


def test_an_error_in_the_engine_is_shown_with_the_line_to_look_at(run_14, filled):
    text = filled(1, 4, 3, 5).replace('raise NotImplementedError("TODO 2: ', 'undefined_thing("')
    done = run_14(text, "-k", "now_is_recorded_once")
    [message] = done.said.values()
    line = next(i for i, line in enumerate(text.splitlines(), 1) if "undefined_thing" in line)
    assert "The engine raised NameError: name 'undefined_thing' is not defined" in message
    assert f"engine.py, line {line}, in now: undefined_thing(" in message
    assert "Traceback" not in message


@pytest.mark.long
def test_an_endless_loop_is_ended_and_named(run_14, filled):
    text = filled(1, 4, 3, 5).replace('raise NotImplementedError("TODO 2: ', 'while True: pass\n        ("')
    done = run_14(text, "-k", "now_is_recorded_once")
    [message] = done.said.values()
    line = next(i for i, line in enumerate(text.splitlines(), 1) if "while True: pass" in line)
    assert done.code == 1
    assert "did not return within 5 seconds" in message
    assert f"engine.py, line {line}, in now: while True: pass" in message
    assert "Traceback" not in done.out


def collected(done):
    return sorted(line.rpartition("/")[2] for line in done.out.splitlines() if "::" in line)


def test_a_plain_pytest_in_the_labs_folder_collects_just_the_14(run_pytest):
    here = run_pytest("--collect-only", "-q", cwd=LAB_DIR)
    above = run_pytest("--collect-only", "-q", "tests/lab")
    assert (here.code, len(collected(here))) == (0, COUNT)
    assert collected(here) == collected(above)


def test_from_the_labs_folder_the_students_engine_is_tested_and_named(run_pytest):
    done = run_pytest("-k", "exhausted", cwd=LAB_DIR)
    assert f"engine under test: lab ({Path('lab', 'engine.py')})" in done.out


@pytest.mark.parametrize("name", ["lab", "solution"])
def test_the_engine_under_test_is_named_with_its_path(run_pytest, name, tmp_path):
    shutil.copytree(SKELETON, tmp_path / "lab")  # a fresh one; that beside the project may be solved
    done = run_pytest("tests/lab", "-k", "exhausted", LAB_MODULE=name, LAB_WORKSPACE=str(tmp_path))
    assert f"engine under test: {name} (" in done.out
    assert done.code == {"lab": 1, "solution": 0}[name]
