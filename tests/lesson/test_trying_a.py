"""Runs in a lesson: a crash leaves what is in the journal, and an unfinished engine gives a sentence."""

import shutil

import pytest

from durable_lab.checks.bench import Crash
from durable_lab.lesson import attempt_run, engine, predict
from durable_lab.lesson.trying import NotYet, compare, crash_run, show
from durable_lab.todos import SKELETON


@pytest.fixture
def finished(monkeypatch):
    """The engine under study is the reference."""
    monkeypatch.setenv("LAB_MODULE", "solution")


@pytest.fixture
def untouched(monkeypatch, tmp_path):
    """The engine under study is the lab as it is handed out."""
    shutil.copytree(SKELETON, tmp_path / "lab", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setenv("LAB_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("LAB_MODULE", "lab")


def workflow(ctx, _):
    ctx.call_activity(one)
    return ctx.call_activity(two)


def one():
    return 1


def two():
    raise Crash


def harmless(ctx, _):
    return ctx.call_activity(one)


def test_a_crash_leaves_the_state_that_the_journal_adds_up_to(finished, capsys):
    start = engine().WorkflowState("w-1", {"a": 1})
    state = crash_run(workflow, start)
    assert [(command.name, command.value) for command in state.commands] == [("one", 1)]
    assert (state.workflow_id, state.input, start.commands) == ("w-1", {"a": 1}, [])
    assert [command.name for command in crash_run(workflow, state).commands] == ["one"]
    show(state)
    assert capsys.readouterr().out == "  0 activity one() -> 1\n"


def test_a_run_that_should_have_crashed_says_how_it_returned(finished):
    came = crash_run(harmless, engine().WorkflowState("w-1"))
    assert isinstance(came, NotYet)
    assert "it returned as completed" in came.why


def test_a_result_is_shown_with_its_ending_and_history(finished, capsys):
    show(attempt_run(harmless, engine().WorkflowState("w-1")))
    show(attempt_run(lambda ctx, _: ctx.wait_signal("go"), engine().WorkflowState("w-2")))
    assert capsys.readouterr().out.splitlines() == [
        "completed: 1",
        "  0 activity one() -> 1",
        "blocked: it waits for go",
        "  nothing is recorded",
    ]


def test_on_a_fresh_lab_each_step_says_what_to_do(untouched, capsys):
    state = crash_run(workflow, engine().WorkflowState("w-1"))
    result = attempt_run(workflow, state)
    assert result is state, "what is in the way is handed on"
    assert "this needs TODO 4" in attempt_run(workflow, engine().WorkflowState("w-1")).why
    show(result)
    compare(predict(3), result, 0)
    assert capsys.readouterr().out == f"{result.why}\n{result.why}\n"
    assert "no history to continue from" in attempt_run(workflow, result.state).why


def test_a_prediction_is_compared_where_there_is_a_result(finished, capsys):
    result = attempt_run(harmless, engine().WorkflowState("w-1"))
    compare(predict(1), result, result.value)
    assert capsys.readouterr().out == "As you predicted: 1.\n"
