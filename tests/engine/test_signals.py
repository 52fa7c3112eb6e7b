"""R8, R9: signals are buffered, first in first out per name; suspension is not an ordinary exception."""

import contextlib

import pytest

from durable_lab.checks.bench import as_json
from solution.engine import ActivityError, Signal, WorkflowBlocked


def deliver(bench, state, *pairs):
    for name, payload in pairs:
        state = bench.signal(state, name, payload)
    return state


def test_signals_are_consumed_in_order_per_name_before_and_after_the_wait(bench):
    def workflow(ctx, order):
        return [ctx.wait_signal(name) for name in "abab"]

    state = deliver(bench, bench.state(), ("b", 1), ("a", 2))
    blocked = bench.run(workflow, state)
    assert (blocked.status, blocked.waiting_for) == ("blocked", "a")
    done = bench.run(workflow, deliver(bench, blocked.state, ("b", 3), ("a", 4)))
    assert done.value == [2, 1, 4, 3]


@pytest.mark.parametrize("payload", [None, False, 0, "", [], {}])
def test_a_falsy_payload_is_a_payload_like_any_other(pair, bench, payload):
    state = deliver(bench, bench.state(), ("go", payload), ("go", "second"))
    live, replayed = pair(lambda ctx, order: [ctx.wait_signal("go"), ctx.wait_signal("go")], state)
    assert live.value == replayed.value == [payload, "second"]


def test_a_signal_needs_no_payload(bench):
    state = bench.engine().signal(bench.state(), "go")
    assert bench.run(lambda ctx, order: [ctx.wait_signal("go")], state).value == [None]


def test_consuming_a_signal_is_a_command_that_the_journal_is_told_of(bench):
    state = deliver(bench, bench.state(), ("go", {"by": "Ana"}))
    bench.clock.sleep(60)
    result = bench.run(lambda ctx, order: ctx.wait_signal("go"), state)
    [command] = result.state.commands
    assert bench.journal[1] is command
    assert (command.kind, command.name, command.args, command.value) == ("signal", "go", [], {"by": "Ana"})
    assert (command.ok, command.started_at, command.ended_at) == (True, 1060.0, 1060.0)
    assert result.state.signals == [Signal("go", {"by": "Ana"}, 1000.0)]


def test_a_consumed_signal_is_not_consumed_again_after_a_crash(bench):
    def first(ctx, order):
        ctx.wait_signal("go")
        raise KeyError("crash")

    state = deliver(bench, bench.state(), ("go", 1), ("go", 2))
    with pytest.raises(KeyError):
        bench.run(first, state)
    result = bench.run(lambda ctx, order: [ctx.wait_signal("go"), ctx.wait_signal("go")], bench.recorded(bench.state()))
    assert result.value == [1, 2]


def test_a_blocked_run_keeps_the_steps_that_it_made(bench):
    step = bench.activity("step")
    blocked = bench.run(lambda ctx, order: [ctx.call_activity(step), ctx.wait_signal("go")])
    assert [c.name for c in blocked.state.commands] == ["step"]
    again = bench.run(lambda ctx, order: [ctx.call_activity(step), ctx.wait_signal("go")], blocked.state)
    assert (again.status, bench.calls) == ("blocked", ["step()"])
    assert as_json(again.state) == as_json(blocked.state)


def test_names_that_differ_by_case_or_are_empty_are_names_of_their_own(bench):
    state = deliver(bench, bench.state(), ("Go", 1), ("", 2))
    assert bench.run(lambda ctx, order: [ctx.wait_signal(""), ctx.wait_signal("Go")], state).value == [2, 1]
    assert bench.run(lambda ctx, order: ctx.wait_signal("go"), state).waiting_for == "go"


def test_the_blocked_error_says_what_it_waits_for():
    error = WorkflowBlocked("approval")
    assert error.waiting_for == "approval"
    assert "approval" in str(error)
    assert not isinstance(error, Exception)


# ---------------------------------------------------------------- R9: suspension


def test_suspension_passes_through_except_exception(bench):
    undo = bench.activity("undo")

    def workflow(ctx, order):
        try:
            ctx.wait_signal("go")
        except Exception:
            ctx.call_activity(undo)

    result = bench.run(workflow)
    assert (result.status, bench.calls) == ("blocked", [])


def with_finally(ctx, undo):
    try:
        ctx.wait_signal("go")
    finally:
        ctx.call_activity(undo)


def with_bare_except(ctx, undo):
    try:
        ctx.wait_signal("go")
    except:
        ctx.call_activity(undo)


def with_context_manager(ctx, undo):
    @contextlib.contextmanager
    def reservation():
        try:
            yield
        finally:
            ctx.call_activity(undo)

    with reservation():
        ctx.wait_signal("go")


def with_exit_stack(ctx, undo):
    with contextlib.ExitStack() as stack:
        stack.callback(ctx.call_activity, undo)
        stack.callback(ctx.call_activity, undo)
        ctx.wait_signal("go")


def with_suppress(ctx, undo):
    with contextlib.suppress(BaseException):
        ctx.wait_signal("go")
    ctx.call_activity(undo)


def with_finally_that_swallows_all(ctx, undo):
    try:
        ctx.wait_signal("go")
    finally:
        with contextlib.suppress(BaseException):
            ctx.call_activity(undo)
        return "done"


CLEANUPS = [
    with_finally,
    with_bare_except,
    with_context_manager,
    with_exit_stack,
    with_suppress,
    with_finally_that_swallows_all,
]


@pytest.mark.parametrize("cleanup", CLEANUPS)
def test_no_cleanup_activity_runs_while_a_run_is_suspended(bench, cleanup):
    undo = bench.activity("undo")
    result = bench.run(lambda ctx, order: cleanup(ctx, undo))
    assert (result.status, result.waiting_for, result.value) == ("blocked", "go", None)
    assert (bench.calls, bench.journal, result.state.commands) == ([], [], [])


@pytest.mark.parametrize("cleanup", [with_finally, with_context_manager, with_exit_stack])
def test_cleanup_runs_once_the_signal_has_come(bench, cleanup):
    undo = bench.activity("undo")
    blocked = bench.run(lambda ctx, order: cleanup(ctx, undo))
    done = bench.run(lambda ctx, order: cleanup(ctx, undo), bench.signal(blocked.state, "go"))
    assert done.status == "completed"
    assert set(bench.calls) == {"undo()"}


ENDS = [ValueError("v"), RuntimeError("r"), ActivityError("a", "b", "c", 1), StopIteration(), MemoryError()]


@pytest.mark.parametrize("error", ENDS, ids=lambda error: type(error).__name__)
def test_a_suspension_that_is_swallowed_by_another_error_is_still_a_suspension(bench, error):
    def workflow(ctx, order):
        try:
            ctx.wait_signal("go")
        except:
            raise error from None

    result = bench.run(workflow)
    assert (result.status, result.waiting_for, result.error) == ("blocked", "go", None)


def test_a_suspension_that_is_swallowed_is_never_reported_as_completed(bench):
    other = bench.activity("other")

    def workflow(ctx, order):
        for call in (
            lambda: ctx.wait_signal("go"),
            ctx.now,
            lambda: ctx.wait_signal("b"),
            lambda: ctx.call_activity(other),
        ):
            with contextlib.suppress(BaseException):
                call()
        return "done"

    state = bench.signal(bench.state(), "b", 1)
    bench.journal.clear()
    result = bench.run(workflow, state)
    assert (result.status, result.waiting_for, result.value) == ("blocked", "go", None)
    assert (bench.calls, bench.journal) == ([], [])
