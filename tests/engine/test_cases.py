"""Small inputs from bug reports on real durable engines. Each names its source."""

import functools
import socket

import pytest

from durable_lab.checks.bench import Crash, as_json
from solution.engine import ActivityError, Command, DurableEngine, RetryPolicy, WorkflowState


def test_a_renamed_activity_before_a_parked_wait_does_not_pass(bench):
    """temporalio/sdk-rust#443"""
    reserve, renamed, charge = (bench.activity(name) for name in ("reserve", "reserve2", "charge"))

    def version(first):
        def workflow(ctx, order):
            ctx.call_activity(first)
            ctx.wait_signal("go")
            return ctx.call_activity(charge)

        return workflow

    parked = bench.run(version(reserve))
    ready = bench.signal(parked.state, "go")
    result = bench.run(version(renamed), ready)
    assert result.error.startswith("NonDeterminismError: at position 0 ")
    assert "activity reserve()," in result.error
    assert "activity reserve2()" in result.error
    assert bench.calls == ["reserve()"]
    assert as_json(result.state) == as_json(ready)


def fan_out(fetch, order_list):
    def workflow(ctx, order):
        return {x: ctx.call_activity(fetch, x) for x in order_list}

    return workflow


def test_the_order_of_a_set_never_swaps_results(bench):
    """temporalio/sdk-python#429, #518: the order of a set of strings changes with the hash seed."""
    fetch = bench.activity("fetch", answer=lambda x: f"price of {x}")
    first = bench.run(fan_out(fetch, ["pen", "ink"]))
    result = bench.run(fan_out(fetch, ["ink", "pen"]), first.state)
    assert result.status == "failed"
    assert 'history has activity fetch("pen"), but the workflow asks for activity fetch("ink")' in result.error


def test_the_order_of_a_set_swaps_results_under_the_weak_guard(bench):
    """The same, seen by an engine that compares names only: no error, and each price is that of the other."""
    fetch = bench.activity("fetch", answer=lambda x: f"price of {x}")
    first = bench.run(fan_out(fetch, ["pen", "ink"]), guard="names")
    result = bench.run(fan_out(fetch, ["ink", "pen"]), first.state, guard="names")
    assert result.status == "completed"
    assert result.value == {"ink": "price of pen", "pen": "price of ink"}


@pytest.mark.parametrize("guard", ["arguments", "names"])
def test_the_record_of_another_kind_of_command_is_never_consumed(bench, guard):
    """aws-durable-execution-sdk-python#692"""
    act = bench.activity("now")
    first = bench.run(lambda ctx, order: ctx.now())
    got = []

    def changed(ctx, order):
        got.append(ctx.call_activity(act))

    result = bench.run(changed, first.state, guard=guard)
    assert (result.status, got, bench.calls) == ("failed", [], [])
    assert "history has now now(), but the workflow asks for activity now()" in result.error


@pytest.mark.parametrize("steps", [["a"], ["b"], []])
def test_a_removed_step_or_an_early_return_is_a_divergence(bench, steps):
    """vercel/workflow: Unconsumed event"""

    def version(names):
        return lambda ctx, order: [ctx.call_activity(bench.activity(name)) for name in names]

    first = bench.run(version(["a", "b"]))
    result = bench.run(version(steps), first.state)
    assert result.status == "failed"
    assert result.error.startswith("NonDeterminismError")
    assert bench.calls == ["a()", "b()"]


def test_a_return_that_cannot_be_recorded_has_its_own_message(bench):
    """durable-python#428: reported as non-determinism"""
    act = bench.activity("act", {"when": object()})
    result = bench.run(lambda ctx, order: ctx.call_activity(act))
    assert "act: result['when'] is <object object" in result.error
    assert "JSON cannot carry that" in result.error
    assert "determinis" not in result.error


def test_none_as_a_result_and_as_a_return_is_an_end(pair, bench):
    """durable-python#454; django-durable keeps such a run open for ever"""
    act = bench.activity("act", None, "again")
    live, replayed = pair(lambda ctx, order: ctx.call_activity(act))
    assert [(r.status, r.value) for r in (live, replayed)] == [("completed", None)] * 2
    assert bench.calls == ["act()"]


def test_a_result_that_is_changed_after_it_was_recorded_stays_as_recorded(bench):
    """langgraph#8748"""
    act = bench.activity("act", {"items": []})

    def workflow(ctx, order):
        value = ctx.call_activity(act)
        value["items"].append("later")
        return ctx.wait_signal("go")

    blocked = bench.run(workflow)
    assert blocked.state.commands[0].value == {"items": []}
    assert bench.journal[0].value == {"items": []}


def test_the_type_of_an_exception_is_not_lost_on_replay(pair, bench):
    """dbos-transact-py#371"""
    act, a, b = bench.activity("act", TimeoutError("t")), bench.activity("a"), bench.activity("b")

    def workflow(ctx, order):
        try:
            ctx.call_activity(act)
        except ActivityError as error:
            return ctx.call_activity(a if error.error_type == "TimeoutError" else b)

    live, replayed = pair(workflow)
    assert live.value == replayed.value == "a"


def test_an_exception_that_holds_a_socket_keeps_its_type_and_text(pair):
    """dbos-transact-py#730: the error of the serialiser hid the real one"""

    class Lost(ConnectionError):
        def __init__(self, sock):
            super().__init__("connection lost")
            self.sock = sock

    seen = []
    with socket.socket() as sock:

        def act():
            raise Lost(sock)

        def workflow(ctx, order):
            try:
                ctx.call_activity(act)
            except ActivityError as error:
                seen.append((error.error_type, error.message))

        pair(workflow)
    assert seen == [("Lost", "connection lost")] * 2


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), [{"x": float("nan")}]])
def test_what_is_no_json_number_is_refused_before_the_effect(bench, value):
    """langgraph#1878"""
    act = bench.activity("act")
    with pytest.raises(TypeError, match="act: args"):
        bench.run(lambda ctx, order: ctx.call_activity(act, value))
    assert bench.calls == []


@pytest.mark.parametrize("value", [2**70, "a\x00b", "\ud800", {"\x00": "\udc00"}])
def test_a_large_number_a_nul_and_a_lone_surrogate_are_the_same_on_replay(pair, value):
    """langgraph#1878"""

    def act(given):
        return given

    live, replayed = pair(lambda ctx, order: ctx.call_activity(act, value))
    assert live.value == replayed.value == value


def test_three_megabytes_are_refused_with_what_to_do_instead(bench):
    """temporalio/features#487"""
    act = bench.activity("act", "x" * 3_000_000)
    result = bench.run(lambda ctx, order: ctx.call_activity(act))
    assert "act: result is over 1,000,000 characters: store it elsewhere" in result.error
    assert len(bench.calls) == 1
    assert len(result.state.to_json()) < 2000


def test_a_signal_before_the_first_run_is_kept_in_order_and_used_once(bench):
    """pg_durable PR #272"""
    state = bench.signal(bench.signal(bench.state(), "go", 1), "go", 2)
    state = WorkflowState.from_json(state.to_json())
    result = bench.run(lambda ctx, order: [ctx.wait_signal("go") for _ in range(3)], state)
    assert (result.status, [c.value for c in result.state.commands]) == ("blocked", [1, 2])


def test_the_same_signal_twice_is_two_signals(bench):
    """dbos-transact-ts PR #1307, without a key"""
    state = bench.signal(bench.signal(bench.state(), "go", "yes"), "go", "yes")
    result = bench.run(lambda ctx, order: [ctx.wait_signal("go"), ctx.wait_signal("go")], state)
    assert result.value == ["yes", "yes"]


def test_unread_signals_at_the_end_are_not_lost(bench):
    """temporal#8097"""
    state = bench.signal(bench.signal(bench.state(), "go", 1), "late", 2)
    result = bench.run(lambda ctx, order: ctx.wait_signal("go"), state)
    assert result.status == "completed"
    assert [(s.name, s.payload) for s in result.state.signals] == [("go", 1), ("late", 2)]


@pytest.mark.parametrize("deduplicates", [True, False])
def test_a_crash_between_effect_and_record_charges_once_only_where_the_bank_deduplicates(bench, deduplicates):
    """ablative-io/aion#208"""
    charges, seen, crash = [], [], [Crash("between effect and record")]

    def charge(amount, *, idempotency_key):
        if not (deduplicates and idempotency_key in seen):
            charges.append(amount)
        seen.append(idempotency_key)
        if crash:
            raise crash.pop()
        return "receipt"

    def workflow(ctx, order):
        return ctx.call_activity(charge, 30)

    result = bench.run(workflow, bench.crash(workflow, bench.state("refund-7")))
    assert result.value == "receipt"
    assert seen == ["refund-7/0", "refund-7/0"]
    assert charges == [30] * (1 if deduplicates else 2)


def test_what_runs_before_a_pause_does_not_run_again_after_it(bench):
    """langgraph#7780: before=3, mid=2 for two pauses"""
    before, mid, after = (bench.activity(name) for name in ("before", "mid", "after"))

    def workflow(ctx, order):
        for act in (before, mid):
            ctx.call_activity(act)
            ctx.wait_signal("go")
        ctx.call_activity(after)

    result = bench.run(workflow)
    for _ in range(2):
        assert result.status == "blocked"
        result = bench.run(workflow, bench.signal(result.state, "go"))
    assert result.status == "completed"
    assert bench.calls == ["before()", "mid()", "after()"]


def test_max_attempts_of_three_is_three_calls(bench):
    """temporalio/documentation#5044"""
    act = bench.activity("act", OSError("no"))
    bench.run(functools.partial(lambda ctx, order: ctx.call_activity(act, retry=RetryPolicy(max_attempts=3))))
    assert bench.calls == ["act()"] * 3


# ---------------------------------------------------------------- the cause of a failure


def test_a_failed_run_has_its_error_as_its_cause():
    error = RuntimeError("out of stock")

    def refuse(ctx, order):
        raise error

    result = DurableEngine().run(refuse, WorkflowState("w"))
    assert result.cause is error
    assert "cause" not in repr(result)


def test_a_divergence_is_the_cause_with_both_sides():
    def ends(ctx, order):
        return None

    history = [Command("now", "now", value=1.0)]
    result = DurableEngine().run(ends, WorkflowState("w", None, history))
    assert (result.cause.position, result.cause.recorded, result.cause.issued) == (0, history[0], None)
