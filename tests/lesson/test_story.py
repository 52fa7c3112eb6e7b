"""The helpers of lessons 04 to 06."""

import shutil

import pytest

from durable_lab.checks.bench import Crash
from durable_lab.lesson import attempt_run
from durable_lab.lesson.story import Clock, begin, crash_at, deliver, then
from durable_lab.lesson.trying import NotYet, crash_run
from durable_lab.todos import SKELETON
from durable_lab.world import World


@pytest.fixture
def solved(monkeypatch):
    monkeypatch.setenv("LAB_MODULE", "solution")


@pytest.fixture
def untouched(monkeypatch, tmp_path):
    shutil.copytree(SKELETON, tmp_path / "lab", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setenv("LAB_MODULE", "lab")
    monkeypatch.setenv("LAB_WORKSPACE", str(tmp_path))
    return tmp_path / "lab" / "engine.py"


def waits(ctx, given):
    return ctx.wait_signal("go")


def test_a_signal_is_delivered_and_the_run_goes_on(solved):
    state = deliver(begin("w-1"), "go", 7, clock=Clock(5.0))
    assert state.signals[0].received_at == 5.0
    assert attempt_run(waits, state, clock=Clock()).value == 7


def test_an_open_todo_is_a_sentence_all_the_way_down(untouched):
    state = deliver(begin("w-1"), "go")
    assert isinstance(state, NotYet)
    assert "TODO 5" in state.why
    assert then(state, lambda m, s: 1 / 0) is state
    assert deliver(state, "go") is state
    assert attempt_run(waits, state) is state


def test_begin_says_which_todo_it_needs(untouched):
    assert "TODO 3" in begin("w-1", needs=(3,)).why
    assert begin("w-1").workflow_id == "w-1"


def test_an_engine_that_cannot_be_read_is_a_sentence(untouched):
    untouched.write_text("def (", encoding="utf-8")
    assert "engine.py, line 1" in begin("w-1").why


def test_the_process_dies_once_at_the_planned_point(solved, tmp_path):
    world = World(tmp_path / "world.db", at=crash_at("send_email.effect"))

    def letter(ctx, given):
        ctx.call_activity(world.send_email, "kim@example.com", "hello")

    left = crash_run(letter, begin("w-1"), clock=Clock())
    assert left.commands == []
    assert attempt_run(letter, left, clock=Clock()).status == "completed"
    assert len(world.ledger.effects("send_email")) == 1
    with pytest.raises(Crash):
        crash_at("here")("here")


def test_an_endless_loop_of_retries_ends(solved):
    def busy():
        raise ConnectionError("busy")

    def never(ctx, given):
        ctx.call_activity(busy, retry=ctx._engine.retry.__class__(max_attempts=10**9))

    assert "the retry loop probably never ends" in repr(attempt_run(never, begin("w-1"), clock=Clock()))
