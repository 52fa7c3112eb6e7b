"""The message of a failed test is true: what raised an error, what ended, and what was not judged."""

import os
import subprocess
import sys

import pytest

from durable_lab import source
from durable_lab.checks.origin import CALLED, ENGINE, TEST, Origin, origin
from durable_lab.study import ROOT
from grader.checker import suite
from grader.checker.check import check
from grader.dev.bank.splice import REFERENCE
from grader.handin import Submission

SOLVED = REFERENCE.read_text(encoding="utf-8")
BODIES = {  # a body of `now`, or of what else, and what must be said, and what must not
    "exit": ("Context.now", "import os; os._exit(0)", "No answer came from the engine: its process ended"),
    "signal": (
        "Context.now",
        "import os; os.abort()",
        "No answer came from the engine: its process ended",
    ),
    "memory": ("Context.now", "return bytearray(1 << 40)", "The engine raised MemoryError"),
    "SystemExit": ("Context.now", "raise SystemExit('bye')", "The engine raised SystemExit: bye"),
    "an error": ("Context.now", "return self.nothing_like_that", "nothing_like_that"),
    "a result that is none": ("Context.now", "return None", "first difference"),
}


def with_body(function, body):
    head = source.text_of(SOLVED, function).splitlines()[0]
    return source.replace_function(SOLVED, function, f"{head}\n        {body}")


@pytest.mark.usefixtures("bubblewrap")
@pytest.mark.parametrize("case", BODIES)
@pytest.mark.long(every=3)
def test_each_way_to_end_has_a_true_message_in_the_public_part(case):
    function, body, says = BODIES[case]
    found = check(Submission("a", whole=with_body(function, body)), "seed")
    message = next(o.message for o in found[0].outcomes if o.test.startswith("now is recorded once"))
    assert says in message
    assert "something that your code returned could not be used" not in message
    assert "engine raised Crash" not in str(found)


def public(name, text, tmp_path):
    """What one of the 14 says to a student who runs it by themselves."""
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "__init__.py").touch()
    (tmp_path / "lab" / "engine.py").write_text(text, encoding="utf-8")
    env = {**os.environ, "LAB_MODULE": "lab", "LAB_WORKSPACE": str(tmp_path), "PYTEST_ADDOPTS": ""}
    command = [sys.executable, "-m", "pytest", "-q", str(ROOT / "tests" / "lab"), "-k", name]
    return subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False).stdout


def test_a_kill_that_the_test_makes_is_not_called_an_error_of_the_engine(tmp_path):
    said = public("refund_story", with_body("Context.wait_signal", "return {'by': 'Ana'}"), tmp_path)
    assert "The test kills the process in its activity `pay`" in said
    assert "engine raised Crash" not in said


def test_an_error_of_the_tests_workflow_is_attributed_to_the_workflow(tmp_path):
    said = public("delivered_signal", with_body("Context.wait_signal", "return None"), tmp_path)
    assert "It was raised in the test's workflow `refund`, which the engine had called." in said


def test_an_error_named_timeout_is_not_taken_for_time_that_ran_out(tmp_path):
    said = public("now_is_recorded", with_body("Context.now", "raise KeyError('Timeout of the bank')"), tmp_path)
    assert "The engine raised KeyError: 'Timeout of the bank'" in said
    assert "did not return" not in said


def test_a_test_that_cannot_go_on_with_a_result_says_so_and_shows_its_own_line(tmp_path):
    body = "return RunResult('completed', state)"
    said = public("replay_of_a_finished", with_body("DurableEngine.run", body), tmp_path)
    assert "The engine raised" not in said


def here(call, engine):
    """The origin of what this call raises, where the functions of this file are the test."""
    try:
        call()
    except Exception as error:
        return origin(error, engine, suite.ROOT / "tests" / "checker", "")
    raise AssertionError("it raises nothing")


def engine(call):
    made = compile("def run(call):\n    return call()\n", "the engine", "exec")
    table = {}
    exec(made, table)
    return table["run"](call)


def is_engine(file):
    return file == "the engine"


def test_errors_of_a_journal_a_clock_and_a_workflow_are_distinguished_from_the_engines():
    def broken_disk(record=None):
        raise RuntimeError("disk full")

    def shop(ctx=None, order=None):
        raise KeyError("no such key")

    assert here(lambda: engine(broken_disk), is_engine) == Origin(CALLED, "", "journal `broken_disk`")
    assert here(lambda: engine(shop), is_engine) == Origin(CALLED, "", "workflow `shop`")
    assert here(lambda: engine(lambda: int("x")), is_engine).kind == CALLED
    assert here(lambda: engine(None), is_engine) == Origin(ENGINE)
    assert here(lambda: [][1], is_engine).kind == TEST
