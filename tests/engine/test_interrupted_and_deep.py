"""Runs that are interrupted in a wait, inputs that JSON cannot represent, and values that are nested too deeply."""

import functools

import pytest

from solution.engine import ActivityError, UnrecordableError, WorkflowState


class Interrupted:
    """A clock that is interrupted during a sleep."""

    def __init__(self, error):
        self.error = error

    def now(self):
        return 0.0

    def sleep(self, seconds):
        raise self.error


def swallow_all(call):
    try:
        return call()
    except:
        return "swallowed"


def clean_up(call):
    try:
        return call()
    finally:
        clean_up.undo()


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), OSError("clock"), RuntimeError("clock")])
def test_an_interrupt_between_two_attempts_is_raised_and_no_cleanup_is_recorded_instead(bench, error):
    pay, undo = bench.activity("pay", OSError("busy")), bench.activity("undo")

    def workflow(ctx, order):
        try:
            ctx.call_activity(pay)
        except:
            pass
        finally:
            ctx.call_activity(undo)
        return "done"

    with pytest.raises(type(error)) as caught:
        bench.run(workflow, clock=Interrupted(error))
    assert caught.value is error
    assert (bench.calls, bench.journal) == (["pay()"], [])


def test_an_interrupt_between_two_attempts_that_is_swallowed_is_never_reported_as_completed(bench):
    pay = bench.activity("pay", OSError("busy"))
    with pytest.raises(KeyboardInterrupt):
        bench.run(
            lambda ctx, order: swallow_all(lambda: ctx.call_activity(pay)), clock=Interrupted(KeyboardInterrupt())
        )


def test_the_input_is_the_same_live_and_replayed(pair, bench):
    got = []

    def workflow(ctx, order):
        got.append([type(order), order])

    pair(workflow, bench.state(given=(1, (2,))))
    assert got == [[list, [1, [2]]]] * 2


@pytest.mark.parametrize("given", [float("nan"), {1: 2}, {1}, b"x", "x" * 2_000_000, object()])
def test_an_input_that_json_cannot_represent_is_refused_before_anything_runs(bench, given):
    act = bench.activity("act")
    with pytest.raises(UnrecordableError, match=r"^input"):
        bench.run(lambda ctx, order: ctx.call_activity(act), bench.state(given=given))
    assert bench.calls == []


def nested(levels):
    return functools.reduce(lambda inner, _: [inner], range(levels), 1)


@pytest.mark.parametrize("levels", [101, 300, 490, 600, 900, 980])
def test_a_value_that_is_nested_too_deep_to_copy_is_refused_and_not_recorded_as_a_result(bench, levels):
    value = nested(levels)

    def act():
        return value

    def workflow(ctx, order):
        try:
            ctx.call_activity(act)
        except ActivityError as error:
            return [error.error_type, error.attempts]

    assert bench.run(workflow).value == ["UnrecordableError", 1]


def test_a_state_of_json_that_is_nested_too_deep_is_refused_with_a_message(bench):
    state = WorkflowState.from_json(WorkflowState("w", "here").to_json().replace('"here"', "[" * 600 + "]" * 600))
    with pytest.raises(UnrecordableError, match=r"^input"):
        bench.run(lambda ctx, order: 1, state)


def test_a_hundred_levels_are_fine(pair):
    value = nested(100)

    def act(given):
        return given

    live, replayed = pair(lambda ctx, order: ctx.call_activity(act, value))
    assert live.value == replayed.value == value


@pytest.mark.parametrize("value", [{"k" * 1_000_000: {1}}, {"k" * 1_000_000: {1: 2}}])
def test_the_message_about_an_unrecordable_value_is_short_even_under_a_long_key(bench, value):
    act = bench.activity("act", value)
    result = bench.run(lambda ctx, order: ctx.call_activity(act))
    assert len(result.error) < 500
