"""R1, R2, R6, R10, R13: what is recorded and when, what `run` raises, and what may be changed."""

import signal as unix_signal

import pytest

from durable_lab.checks.bench import Crash, as_json
from solution.engine import ActivityError, NonDeterminismError, Signal, WorkflowState


class PowerCut(BaseException):
    pass


JOURNAL_ERRORS = [
    OSError("disk full"),
    RuntimeError("disk full"),
    ActivityError("pay", "OSError", "not of an activity", 1),
    NonDeterminismError.__new__(NonDeterminismError, "of the journal"),
    PowerCut("disk gone"),
    KeyboardInterrupt(),
]


def swallow_nothing(call):
    return call()


def swallow_exceptions(call):
    try:
        return call()
    except Exception:
        return "swallowed"


def swallow_all(call):
    try:
        return call()
    except:
        return "swallowed"


def swallow_and_raise_another(call):
    try:
        return call()
    except:
        raise ValueError("another") from None


def swallow_in_finally(call):
    try:
        return call()
    finally:
        return "swallowed"


SWALLOWERS = [swallow_nothing, swallow_exceptions, swallow_all, swallow_and_raise_another, swallow_in_finally]


@pytest.mark.parametrize("swallow", SWALLOWERS)
@pytest.mark.parametrize("error", JOURNAL_ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("kind", ["activity", "now", "signal"])
def test_an_error_of_the_journal_reaches_the_caller_as_the_same_object(bench, kind, error, swallow):
    pay, after = bench.activity("pay"), bench.activity("after")
    commands = {
        "activity": lambda ctx: ctx.call_activity(pay),
        "now": lambda ctx: ctx.now(),
        "signal": lambda ctx: ctx.wait_signal("go"),
    }

    def workflow(ctx, order):
        swallow(lambda: commands[kind](ctx))
        swallow(lambda: ctx.call_activity(after))
        return "done"

    def journal(record):
        raise error

    state = bench.state()
    state.signals.append(Signal("go", 1))
    with pytest.raises(type(error)) as caught:
        bench.run(workflow, state, journal=journal)
    assert caught.value is error
    assert "after()" not in bench.calls
    assert state.commands == []


def test_an_error_of_the_journal_reaches_the_caller_of_signal_and_the_state_stays(bench):
    error, state = OSError("disk full"), bench.state()

    def journal(record):
        raise error

    with pytest.raises(OSError, match="disk full") as caught:
        bench.engine(journal=journal).signal(state, "go")
    assert caught.value is error
    assert state.signals == []


def test_the_journal_has_each_outcome_before_the_workflow_sees_it(bench):
    good, bad, seen = bench.activity("good", 1), bench.activity("bad", OSError("no")), []

    def workflow(ctx, order):
        ctx.call_activity(good)
        seen.append(len(bench.journal))
        with pytest.raises(ActivityError):
            ctx.call_activity(bad)
        seen.append(len(bench.journal))
        ctx.now()
        seen.append(len(bench.journal))
        ctx.wait_signal("go")
        seen.append(len(bench.journal))

    state = bench.state()
    state.signals.append(Signal("go"))
    bench.run(workflow, state)
    assert seen == [1, 2, 3, 4]


def test_the_journal_of_a_run_and_its_state_say_the_same(bench):
    step = bench.activity("step", OSError("busy"), {"a": [1]})
    state = bench.signal(bench.state(given=7), "go", [2])
    result = bench.run(lambda ctx, order: [ctx.call_activity(step), ctx.wait_signal("go"), ctx.now()], state)
    assert as_json(bench.recorded(bench.state(given=7))) == as_json(result.state)


def test_the_journal_is_not_called_on_replay(bench):
    step = bench.activity("step")
    first = bench.run(lambda ctx, order: [ctx.call_activity(step), ctx.now()])
    bench.journal.clear()
    bench.run(lambda ctx, order: [ctx.call_activity(step), ctx.now()], first.state)
    assert bench.journal == []


@pytest.mark.parametrize("value", [None, False, 0, 0.0, "", [], {}])
def test_a_falsy_result_is_recorded_and_never_asked_for_again(pair, bench, value):
    act = bench.activity("act", value, "another")
    live, replayed = pair(lambda ctx, order: ctx.call_activity(act))
    assert (live.value, replayed.value) == (value, value)
    assert type(replayed.value) is type(value)
    assert bench.calls == ["act()"]


def test_a_crash_after_each_step_runs_only_the_rest(bench):
    names = ["a", "b", "c", "d"]
    for dying in names:
        bench.calls.clear(), bench.journal.clear()
        acts = [bench.activity(n, *([Crash(n), n] if n == dying else [n])) for n in names]

        def workflow(ctx, order, acts=acts):
            return [ctx.call_activity(act) for act in acts]

        found = bench.crash(workflow)
        result = bench.run(workflow, found)
        assert result.value == names
        assert bench.calls == [f"{n}()" for n in names for _ in range(2 if n == dying else 1)]


def test_the_same_call_twice_is_two_commands(pair, bench):
    draw = bench.activity("draw", 1, 2)
    live, replayed = pair(lambda ctx, order: [ctx.call_activity(draw), ctx.call_activity(draw)])
    assert live.value == replayed.value == [1, 2]
    assert len(live.state.commands) == 2


# ---------------------------------------------------------------- R6: one record, the final outcome


MESSAGES = [
    "",
    "plain",
    "a: b",
    ": ",
    "a: b: c: d",
    "line one\nline two",
    " padded ",
    "Error: ",
    "\x00",
    "\ud800",
    "é✓",
]


@pytest.mark.parametrize("message", MESSAGES)
def test_the_message_of_a_failure_is_the_same_live_and_replayed(pair, bench, message):
    act = bench.activity("act", LookupError(message))
    seen = []

    def workflow(ctx, order):
        try:
            ctx.call_activity(act, "x")
        except ActivityError as error:
            seen.append([error.activity, error.error_type, error.message, error.attempts, str(error)])

    pair(workflow)
    assert seen[0] == seen[1]
    assert seen[0][:4] == ["act", "LookupError", message, 3]


def test_a_very_long_message_is_cut_alike_live_and_replayed(pair, bench):
    act = bench.activity("act", ValueError("x" * 2_000_000))
    seen = []

    def workflow(ctx, order):
        try:
            ctx.call_activity(act)
        except ActivityError as error:
            seen.append(error.message)

    live, _ = pair(workflow)
    assert seen[0] == seen[1]
    assert seen[0].startswith("xxx")
    assert len(live.state.to_json()) < 1_000_000


class Mute(ValueError):
    """Its text cannot be had."""

    def __str__(self):
        raise LookupError("no text")


class Odd(ValueError):
    def __str__(self):
        return 5


@pytest.mark.parametrize("error", [Mute(), Odd()])
def test_an_error_that_cannot_say_itself_keeps_its_type_and_is_retried(pair, bench, error):
    act, after = bench.activity("act", error), bench.activity("after")
    seen = []

    def workflow(ctx, order):
        try:
            ctx.call_activity(act)
        except ActivityError as failure:
            seen.append([failure.error_type, failure.message, failure.attempts])
        return ctx.call_activity(after)

    live, replayed = pair(workflow)
    assert live.value == replayed.value == "after"
    assert seen == [[type(error).__name__, "", 3]] * 2


def test_a_failure_takes_the_same_except_branch_live_and_replayed(pair, bench):
    act, plan_b = bench.activity("act", TimeoutError("late")), bench.activity("plan_b")

    def workflow(ctx, order):
        try:
            return ctx.call_activity(act)
        except ActivityError as error:
            return ctx.call_activity(plan_b) if error.error_type == "TimeoutError" else "wrong branch"

    live, replayed = pair(workflow)
    assert live.value == replayed.value == "plan_b"


def test_the_record_of_a_flaky_step_has_every_attempt_with_its_times(bench):
    act = bench.activity("act", OSError("a"), ValueError("b"), "good")
    [command] = bench.run(lambda ctx, order: ctx.call_activity(act)).state.commands
    assert [(t.started_at, t.ended_at, t.error) for t in command.tries] == [
        (1000.0, 1000.0, "OSError: a"),
        (1001.0, 1001.0, "ValueError: b"),
        (1003.0, 1003.0, None),
    ]
    assert (command.ok, command.value, command.error) == (True, "good", None)
    assert (command.started_at, command.ended_at) == (1000.0, 1003.0)


def test_the_record_of_a_failure_says_that_it_failed_and_why(bench):
    act = bench.activity("act", OSError("a"), ValueError("b"))
    [command] = bench.run(lambda ctx, order: ctx.call_activity(act, 1)).state.commands
    assert (command.kind, command.name, command.args) == ("activity", "act", [1])
    assert (command.ok, command.value, command.error) == (False, None, "ValueError: b")
    assert [t.error for t in command.tries] == ["OSError: a", "ValueError: b", "ValueError: b"]
    assert (command.started_at, command.ended_at) == (1000.0, 1003.0)


def test_a_recorded_failure_counts_its_attempts_from_the_record_and_not_from_the_policy(bench):
    act = bench.activity("act", OSError("no"))

    def workflow(policy):
        def body(ctx, order):
            try:
                ctx.call_activity(act, retry=policy)
            except ActivityError as error:
                return error.attempts

        return body

    first = bench.run(workflow(bench.m.RetryPolicy(max_attempts=2)))
    again = bench.run(workflow(bench.m.RetryPolicy(max_attempts=9)), first.state)
    assert (first.value, again.value, len(bench.calls)) == (2, 2, 2)


# ---------------------------------------------------------------- R10: given states stay as they are


def test_run_never_changes_the_state_that_it_is_given_however_the_run_ends(bench):
    step, bad = bench.activity("step"), bench.activity("bad", OSError("no"))

    def bug(ctx):
        raise KeyError("bug")

    ends = {
        "completed": lambda ctx: 1,
        "blocked": lambda ctx: ctx.wait_signal("never"),
        "failed": lambda ctx: ctx.call_activity(bad),
        "bug": bug,
    }
    for name, end in ends.items():

        def workflow(ctx, order, end=end):
            order["n"] = ctx.call_activity(step)
            ctx.wait_signal("go")
            return end(ctx)

        state = bench.signal(bench.state(given={"n": 0}), "go")
        before = state.to_json()
        if name == "bug":
            with pytest.raises(KeyError):
                bench.run(workflow, state)
        else:
            result = bench.run(workflow, state)
            assert result.status == name
            assert result.state is not state
            assert len(result.state.commands) >= 2
        assert state.to_json() == before


def test_two_runs_from_one_state_do_not_know_of_each_other(bench):
    step = bench.activity("step", 1, 2)
    start = bench.state()
    results = [bench.run(lambda ctx, order: ctx.call_activity(step), start) for _ in range(2)]
    assert [r.value for r in results] == [1, 2]
    assert [len(r.state.commands) for r in results] == [1, 1]


def test_signal_never_changes_the_state_that_it_is_given(bench):
    state = bench.state()
    first = bench.signal(state, "a", 1)
    second = bench.signal(first, "b", 2)
    assert [len(s.signals) for s in (state, first, second)] == [0, 1, 2]


# ---------------------------------------------------------------- R13: how a run ends


def run_and_get(bench, error):
    def workflow(ctx, order):
        raise error

    return bench.run(workflow)


@pytest.mark.parametrize("error", [RuntimeError("no stock"), ActivityError("pay", "OSError", "x", 2)])
def test_an_activity_error_or_a_runtime_error_ends_the_run_as_failed(bench, error):
    result = run_and_get(bench, error)
    assert (result.status, result.value, result.waiting_for) == ("failed", None, None)
    assert result.error == f"{type(error).__name__}: {error}"


def test_a_subclass_of_a_runtime_error_ends_the_run_as_failed_too(bench):
    class OutOfStock(RuntimeError):
        pass

    assert run_and_get(bench, OutOfStock("A1")).error == "OutOfStock: A1"


@pytest.mark.parametrize("error", [KeyError("k"), ValueError("v"), AssertionError("a"), PowerCut("p"), SystemExit(3)])
def test_any_other_exception_is_raised_as_the_same_object(bench, error):
    with pytest.raises(type(error)) as caught:
        run_and_get(bench, error)
    assert caught.value is error


def test_the_history_before_a_bug_is_good_to_go_on_from(bench):
    a, b = bench.activity("a"), bench.activity("b")

    def broken(ctx, order):
        ctx.call_activity(a)
        return order["missing"]

    def mended(ctx, order):
        return [ctx.call_activity(a), ctx.call_activity(b)]

    with pytest.raises(KeyError):
        bench.run(broken, bench.state(given={}))
    result = bench.run(mended, bench.recorded(bench.state(given={})))
    assert result.value == ["a", "b"]
    assert bench.calls == ["a()", "b()"]


@pytest.mark.parametrize("swallow", SWALLOWERS)
@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), PowerCut("x")])
def test_an_interrupt_inside_an_activity_is_raised_whatever_the_workflow_swallows(bench, error, swallow):
    dying, undo = bench.activity("dying", error), bench.activity("undo")

    def workflow(ctx, order):
        swallow(lambda: ctx.call_activity(dying))
        swallow(lambda: ctx.call_activity(undo))
        return "done"

    with pytest.raises(type(error)) as caught:
        bench.run(workflow)
    assert caught.value is error
    assert bench.calls == ["dying()"]
    assert bench.journal == []


def test_a_real_ctrl_c_inside_an_activity_is_not_recorded_as_its_failure(bench):
    def busy():
        unix_signal.raise_signal(unix_signal.SIGINT)

    old = unix_signal.signal(unix_signal.SIGINT, unix_signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            bench.run(lambda ctx, order: swallow_all(lambda: ctx.call_activity(busy)))
    finally:
        unix_signal.signal(unix_signal.SIGINT, old)
    assert bench.journal == []


def test_endless_recursion_in_a_workflow_ends_the_run_as_failed_and_keeps_history(bench):
    step = bench.activity("step")

    def down(ctx):
        return down(ctx)

    def workflow(ctx, order):
        ctx.call_activity(step)
        return down(ctx)

    result = bench.run(workflow)
    assert result.status == "failed"
    assert result.error.startswith("RecursionError: ")
    assert [c.name for c in result.state.commands] == ["step"]


async def nothing():
    pass


def test_a_workflow_with_yield_is_refused_before_a_line_of_it_runs(bench):
    act = bench.activity("act")

    def workflow(ctx, order):
        yield ctx.call_activity(act)

    with pytest.raises(TypeError, match="plain function"):
        bench.run(workflow)
    assert (bench.calls, bench.journal) == ([], [])


def test_a_workflow_that_is_a_coroutine_function_is_refused(bench):
    made = nothing()
    with pytest.raises(TypeError, match="plain function"):
        bench.run(lambda ctx, order: made)  # what calling an `async def` gives
    made.close()


def test_a_failed_run_can_continue_after_the_code_is_fixed(bench):
    step, more = bench.activity("step"), bench.activity("more")

    def broken(ctx, order):
        ctx.call_activity(step)
        raise RuntimeError("not written yet")

    failed = bench.run(broken)
    result = bench.run(lambda ctx, order: [ctx.call_activity(step), ctx.call_activity(more)], failed.state)
    assert result.value == ["step", "more"]
    assert bench.calls == ["step()", "more()"]


def test_only_a_workflow_may_use_ctx_and_not_an_activity(bench):
    inner, after = bench.activity("inner"), bench.activity("after")
    held = []

    def outer():
        with pytest.raises(RuntimeError, match="outer is an activity"):
            held[0].call_activity(inner)
        return "outer"

    def workflow(ctx, order):
        held.append(ctx)
        return [ctx.call_activity(outer), ctx.call_activity(after)]

    result = bench.run(workflow)
    assert result.value == ["outer", "after"]
    assert bench.calls == ["after()"]
    assert [c.name for c in result.state.commands] == ["outer", "after"]


def test_the_result_of_a_run_says_how_it_ended_and_nothing_else(bench):
    done = bench.run(lambda ctx, order: order, bench.state(given=5))
    blocked = bench.run(lambda ctx, order: ctx.wait_signal("go"))
    assert (done.status, done.value, done.error, done.waiting_for) == ("completed", 5, None, None)
    assert (blocked.status, blocked.value, blocked.error, blocked.waiting_for) == ("blocked", None, None, "go")


def test_a_workflow_knows_its_id_and_gets_its_input(bench):
    result = bench.run(lambda ctx, order: [ctx.workflow_id, order], WorkflowState("refund-7", {"n": 1}))
    assert result.value == ["refund-7", {"n": 1}]
