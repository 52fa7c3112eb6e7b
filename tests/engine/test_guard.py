"""R3, R4: the same history, the same decisions; otherwise NonDeterminismError, and nothing runs."""

import pytest

from durable_lab.checks.bench import as_json
from solution.engine import ActivityError, Command, DurableEngine, NonDeterminismError


@pytest.fixture
def history(bench):
    """A finished run: activity a("A1", {"n": 1, "m": 2}), now, signal go, activity b()."""
    a, b = bench.activity("a"), bench.activity("b")

    def workflow(ctx, order):
        ctx.call_activity(a, "A1", {"n": 1, "m": 2})
        ctx.now()
        ctx.wait_signal("go")
        return ctx.call_activity(b)

    result = bench.run(workflow, bench.signal(bench.state(), "go", 1))
    assert result.status == "completed"
    bench.calls.clear(), bench.journal.clear()
    return result.state


STEPS = [
    lambda ctx, act: ctx.call_activity(act("a"), "A1", {"n": 1, "m": 2}),
    lambda ctx, act: ctx.now(),
    lambda ctx, act: ctx.wait_signal("go"),
    lambda ctx, act: ctx.call_activity(act("b")),
]
OTHER = {  # what may be asked in the place of each step
    "a renamed activity": (0, lambda ctx, act: ctx.call_activity(act("a2"), "A1", {"n": 1, "m": 2})),
    "another value": (0, lambda ctx, act: ctx.call_activity(act("a"), "A2", {"n": 1, "m": 2})),
    "another nested value": (0, lambda ctx, act: ctx.call_activity(act("a"), "A1", {"n": 1, "m": 3})),
    "1.0 for 1": (0, lambda ctx, act: ctx.call_activity(act("a"), "A1", {"n": 1.0, "m": 2})),
    "True for 1": (0, lambda ctx, act: ctx.call_activity(act("a"), "A1", {"n": True, "m": 2})),
    "one argument more": (0, lambda ctx, act: ctx.call_activity(act("a"), "A1", {"n": 1, "m": 2}, None)),
    "one argument less": (0, lambda ctx, act: ctx.call_activity(act("a"), "A1")),
    "one key less": (0, lambda ctx, act: ctx.call_activity(act("a"), "A1", {"n": 1})),
    "another order of arguments": (0, lambda ctx, act: ctx.call_activity(act("a"), {"n": 1, "m": 2}, "A1")),
    "a signal for an activity": (0, lambda ctx, act: ctx.wait_signal("a")),
    "now for an activity": (0, lambda ctx, act: ctx.now()),
    "an activity for now": (1, lambda ctx, act: ctx.call_activity(act("now"))),
    "a signal for now": (1, lambda ctx, act: ctx.wait_signal("now")),
    "another signal": (2, lambda ctx, act: ctx.wait_signal("stop")),
    "an activity for a signal": (2, lambda ctx, act: ctx.call_activity(act("go"))),
    "now for a signal": (2, lambda ctx, act: ctx.now()),
    "a renamed last step": (3, lambda ctx, act: ctx.call_activity(act("c"))),
}


def run_changed(bench, history, position, other, wrap, **options):
    def workflow(ctx, order):
        for step in [*STEPS[:position], other, *STEPS[position + 1 :]]:
            wrap(lambda step=step: step(ctx, bench.activity))
        return "done"

    return bench.run(workflow, history, **options)


def plain(call):
    return call()


def careless(call):
    try:
        call()
    except Exception:
        pass


def very_careless(call):
    try:
        call()
    except:
        pass


@pytest.mark.parametrize("wrap", [plain, careless, very_careless])
@pytest.mark.parametrize("change", OTHER)
def test_another_command_than_the_recorded_one_is_a_divergence(bench, history, change, wrap):
    position, other = OTHER[change]
    before = as_json(history)
    result = run_changed(bench, history, position, other, wrap)
    assert result.status == "failed"
    assert result.error.startswith(
        f"NonDeterminismError: at position {position} history has {history.commands[position].call()}, but"
    )
    assert (bench.calls, bench.journal) == ([], [])
    assert as_json(result.state) == as_json(history) == before


def test_the_unchanged_steps_pass_and_so_does_another_order_of_keys(bench, history):
    reordered = lambda ctx, act: ctx.call_activity(act("a"), "A1", {"m": 2, "n": 1})  # noqa: E731
    for first in (STEPS[0], reordered):
        assert run_changed(bench, history, 0, first, plain).status == "completed"
    assert bench.calls == []


@pytest.mark.parametrize("change", OTHER)
def test_the_error_says_the_position_and_both_commands(bench, history, change):
    position, other = OTHER[change]
    caught = []

    def wrap(call):
        try:
            call()
        except NonDeterminismError as error:
            caught.append(error)
            raise

    run_changed(bench, history, position, other, wrap)
    [error] = caught
    assert isinstance(error, RuntimeError)
    assert (error.position, error.recorded) == (position, history.commands[position])
    assert isinstance(error.issued, Command)
    assert error.issued.call() != error.recorded.call()
    assert error.recorded.call() in str(error)
    assert error.issued.call() in str(error)


def test_the_issued_command_has_the_requested_kind_name_and_arguments(bench, history):
    caught = []

    def wrap(call):
        try:
            call()
        except NonDeterminismError as error:
            caught.append(error.issued)
            raise

    run_changed(bench, history, 0, OTHER["another value"][1], wrap)
    [issued] = caught
    assert (issued.kind, issued.name, issued.args) == ("activity", "a", ["A2", {"n": 1, "m": 2}])


SAME_NAMES = {
    "another value",
    "another nested value",
    "1.0 for 1",
    "True for 1",
    "one argument more",
    "one argument less",
    "one key less",
    "another order of arguments",
}


@pytest.mark.parametrize("change", OTHER)
def test_the_guard_names_compares_kind_and_name_only(bench, history, change):
    position, other = OTHER[change]
    result = run_changed(bench, history, position, other, plain, guard="names")
    assert result.status == ("completed" if change in SAME_NAMES else "failed")
    assert bench.calls == []


@pytest.mark.parametrize("guard", ["", "name", "ARGUMENTS", None, True, "none"])
def test_an_unknown_guard_is_refused_by_name(guard):
    with pytest.raises(ValueError, match="guard") as caught:
        DurableEngine(guard=guard)
    assert repr(guard) in str(caught.value)


def test_a_divergence_in_the_middle_is_final_even_if_later_steps_would_match(bench, history):
    result = run_changed(bench, history, 1, OTHER["an activity for now"][1], very_careless)
    assert "at position 1" in result.error
    assert bench.calls == []


def test_after_a_divergence_the_old_code_still_finishes(bench, history):
    changed = run_changed(bench, history, 0, OTHER["another value"][1], very_careless)
    again = run_changed(bench, changed.state, 0, STEPS[0], plain)
    assert again.status == "completed"


# ---------------------------------------------------------------- R4: commands left unread


def take(bench, count, end):
    def workflow(ctx, order):
        for step in STEPS[:count]:
            step(ctx, bench.activity)
        return end()

    return workflow


def give_up():
    raise RuntimeError("gave up")


def fail():
    raise ActivityError("x", "OSError", "y", 1)


@pytest.mark.parametrize("guard", ["arguments", "names"])
@pytest.mark.parametrize("end", [lambda: "done", lambda: None, give_up, fail])
@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_a_workflow_that_ends_with_commands_left_unread_has_diverged(bench, history, count, end, guard):
    before = as_json(history)
    result = bench.run(take(bench, count, end), history, guard=guard)
    assert (result.status, result.value) == ("failed", None)
    assert result.error.startswith("NonDeterminismError: ")
    assert f"at position {count} " in result.error
    assert history.commands[count].call() in result.error
    assert bench.calls == []
    assert as_json(result.state) == before


def test_a_workflow_that_reads_all_of_history_may_end_as_it_likes(bench, history):
    assert bench.run(take(bench, 4, lambda: "done"), history).value == "done"
    assert bench.run(take(bench, 4, give_up), history).error == "RuntimeError: gave up"


def test_a_bug_before_the_end_of_history_is_raised_as_a_bug(bench, history):
    def bug():
        raise KeyError("typo")

    with pytest.raises(KeyError, match="typo"):
        bench.run(take(bench, 1, bug), history)


def test_the_error_of_an_unread_command_has_no_issued_command():
    error = NonDeterminismError(2, Command("activity", "pay", ["A1"]), None)
    assert (error.position, error.recorded.name, error.issued) == (2, "pay", None)
    assert str(error) == 'at position 2 history has activity pay("A1"), but the workflow ends without asking for it'
