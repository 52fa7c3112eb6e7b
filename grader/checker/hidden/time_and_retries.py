"""Time, retries and failures: what the outside world does to a run."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

import pytest

from durable_lab.checks.bench import Bench, Crash
from grader.checker.hidden.difference import differs
from grader.checker.hidden.observed import as_text, names, run_to_failure, what_came_out
from grader.checker.hidden.values import DEFAULT, Values, waits


@pytest.mark.todo(2, needs=(1, 4))
def test_now_is_recorded_once_and_replayed(bench: Bench, seed: Random) -> None:
    """R7, R1"""
    values = Values(seed)
    start, pause, span = bench.state(values.run_id()), values.step(), values.span()
    plan = ["now", *values.mixed(["now"] * seed.randint(1, 2), [pause] * seed.randint(1, 2)), pause, "now", "now"]
    fatal = seed.randint(1, plan.count(pause))  # the process dies in this pause, when the time has passed
    bench.clock = bench.m.SimulatedClock(begun := values.moment())

    def sleep() -> None:
        bench.clock.sleep(span)
        if len(bench.calls) == fatal:
            raise Crash("power cut")

    rest = bench.activity(pause, answer=sleep)

    def workflow(ctx: Any, order: Any) -> Any:
        found = [ctx.now() if what == "now" else ctx.call_activity(rest) for what in plan]
        return [time for time in found if time is not None]

    slept = [plan[:i].count(pause) for i, what in enumerate(plan) if what == "now"]
    want = [begun + span * (pauses + (pauses >= fatal)) for pauses in slept]
    differs(bench, "a longer history, and a crash between two times")
    found = bench.crash(workflow, start)
    early = [time for time, pauses in zip(want, slept, strict=True) if pauses < fatal]
    looks = [c.value for c in found.commands if c.kind == "now"]
    bench.expect("R1", "the journal has every look at the clock before the crash", early, looks)
    result = bench.run(workflow, found)
    bench.expect_status("R7", "a workflow may ask for the time", "completed", result)
    must = "now is the time on the engine's clock; what was recorded before a crash stays"
    bench.expect("R7", must, want, result.value)
    looks = [[c.kind, c.value] for c in result.state.commands if c.kind == "now"]
    bench.expect("R7", "each look at the clock is a recorded command", [["now", time] for time in want], looks)
    kinds = ["now" if what == "now" else "activity" for what in plan]
    bench.expect("R1", "the journal is told of every look at the clock", kinds, [c.kind for c in bench.journal])
    bench.clock.sleep(values.span())
    saved = result.state
    calls = [as_text(pause, [])] * (plan.count(pause) + 1)
    differs(bench, "a replay later, and with the clock of another machine")
    for how, options in (("later", {}), ("on another machine", {"clock": bench.m.SimulatedClock(values.moment())})):
        again = bench.run(workflow, saved := bench.restart(saved), **options)
        bench.expect_status("R7", f"a replay {how} ends as the run did", "completed", again)
        bench.expect("R7", f"a replay {how} gets the recorded times", want, again.value)
        bench.expect("R2", "nothing runs again", calls, bench.calls)

    differs(bench, "a clock that begins at 0")
    midnight = bench.m.SimulatedClock(0.0)

    def watch(ctx: Any, order: Any) -> Any:
        return [ctx.now(), ctx.now()]

    first = bench.run(watch, bench.state(values.run_id()), clock=midnight)
    midnight.sleep(span)
    again = bench.run(watch, bench.restart(first.state), clock=midnight)
    must = "midnight is a time like any other: recorded, and replayed"
    bench.expect("R7", must, [[0.0, 0.0]] * 2, [first.value, again.value])


@pytest.mark.todo(1, needs=(4,))
def test_a_flaky_activity_succeeds_and_leaves_one_outcome(bench: Bench, seed: Random) -> None:
    """R2, R6, R11, R12"""
    values = Values(seed)
    run_id, begun = values.run_id(), values.moment()
    bench.clock = bench.m.SimulatedClock(begun)
    own = values.policy(seed.randint(4, 6))
    steady, flaky, worse = values.steps(3)
    results = dict(zip((steady, flaky, worse), [*values.distinct(2), values.falsy(1)[0]], strict=True))
    args = {name: values.arguments() for name in results}
    errors = values.errors(own["max_attempts"] + 1)
    fails = {steady: [], flaky: errors[:2], worse: errors[2:]}  # each succeeds at its last attempt
    acts = {name: bench.activity(name, *fails[name], result) for name, result in results.items()}
    differs(bench, "more attempts, by a policy of the call's own, and several activities")
    policies = {steady: DEFAULT, flaky: DEFAULT, worse: own}
    plan = values.mixed([*results])

    def workflow(ctx: Any, order: Any) -> Any:
        found = {}
        for name in plan:
            extra = {"retry": bench.m.RetryPolicy(**own)} if name == worse else {}
            found[name] = ctx.call_activity(acts[name], *args[name], **extra)
        return found

    result = bench.run(workflow, bench.state(run_id))
    must = "an activity that succeeds at its last attempt has succeeded"
    bench.expect_status("R12", must, "completed", result)
    bench.expect("R12", "the workflow gets the result of the good attempt", results, result.value)
    calls = [as_text(name, args[name]) for name in plan for _ in range(len(fails[name]) + 1)]
    bench.expect("R12", "one attempt after another, up to the good one", calls, bench.calls)
    keys = [f"{run_id}/{i}" for i, name in enumerate(plan) for _ in range(len(fails[name]) + 1)]
    bench.expect("R11", "each attempt has the same idempotency key", keys, bench.keys)
    bench.expect("R6", "many attempts leave one record", plan, names(result.state))
    bench.expect("R6", "many attempts are told to the journal once", plan, [c.name for c in bench.journal])
    tries = [[attempt.error for attempt in c.tries] for c in result.state.commands]
    want = [[*(f"{type(e).__name__}: {e}" for e in fails[name]), None] for name in plan]
    bench.expect("R6", "the record carries its attempts", want, tries)
    outcomes = [[c.ok, c.value, c.error] for c in result.state.commands]
    bench.expect("R6", "its outcome is the final one", [[True, results[name], None] for name in plan], outcomes)
    ended = begun + sum(sum(waits(policies[name], len(fails[name]) + 1)) for name in plan)
    bench.expect(
        "R12", "the waits are those of the policy, the default one or the call's own", ended, bench.clock.now()
    )
    differs(bench, "a replay by a new process")
    again = bench.run(workflow, bench.restart(result.state))
    bench.expect("R2", "a replay does not try again", calls, bench.calls)
    bench.expect("R2", "a replay does not wait again", ended, bench.clock.now())
    bench.expect("R2", "a replay gets the same results", results, again.value)


@pytest.mark.todo(1, needs=(4,))
def test_the_waits_between_attempts_grow_on_the_injected_clock(bench: Bench, seed: Random) -> None:
    """R12"""
    values = Values(seed)
    whole, own = values.policy(seed.randint(4, 5)), values.policy(seed.randint(6, 7))
    names_of = dict(zip(("engine's", "own", "once"), values.steps(3), strict=True))
    once = {"max_attempts": 1, "initial_interval": values.span()}
    takes = values.span(50)  # an attempt takes its time, too; the waits come on top
    bench.clock = bench.m.SimulatedClock(begun := values.moment())
    times: dict[str, list[float]] = {which: [] for which in names_of}

    def failing(which: str) -> Any:
        def attempt() -> None:
            times[which].append(bench.clock.now())
            bench.clock.sleep(takes)
            raise OSError("still down")

        return bench.activity(names_of[which], answer=attempt)

    acts = {which: failing(which) for which in names_of}
    differs(bench, "policies of the engine and of the call, and attempts that take time")
    plan = values.mixed([*names_of])
    policies = {"engine's": whole, "own": own, "once": once}

    def workflow(ctx: Any, order: Any) -> Any:
        attempts = []
        for which in plan:
            extra = {} if which == "engine's" else {"retry": bench.m.RetryPolicy(**policies[which])}
            try:
                ctx.call_activity(acts[which], **extra)
            except bench.m.ActivityError as error:
                attempts.append(error.attempts)
        return attempts

    result = run_to_failure(bench, workflow, bench.state(values.run_id()), retry=bench.m.RetryPolicy(**whole))
    counts = [policies[which]["max_attempts"] for which in plan]
    calls = [as_text(names_of[which], []) for which, n in zip(plan, counts, strict=True) for _ in range(n)]
    must = "max_attempts counts every attempt; a call's own policy goes before that of the engine"
    bench.expect("R12", must, calls, bench.calls)
    want, ended = _schedule([(which, policies[which]) for which in plan], begun, takes)
    for which in plan:
        found = [b - a - takes for a, b in pairwise(times[which])]
        expected = [b - a - takes for a, b in pairwise(want[which])]
        must = f"wait k is initial_interval * backoff**k, at most max_interval ({names_of[which]})"
        bench.expect("R12", must, expected, found)
    bench.expect("R12", "there is no wait after the last attempt", ended, bench.clock.now())
    bench.expect("R6", "the error says how many attempts there were", counts, result.value)
    recorded = [attempt.started_at for command in result.state.commands for attempt in command.tries]
    begins = [time for which in plan for time in want[which]]
    bench.expect("R6", "the record says when each attempt began", begins, recorded)

    differs(bench, "a policy of one attempt for the whole engine")

    def unprotected(ctx: Any, order: Any) -> Any:
        ctx.call_activity(acts["once"])

    failed = run_to_failure(bench, unprotected, bench.state(values.run_id()), retry=bench.m.RetryPolicy(max_attempts=1))
    bench.expect_status("R12", "an engine's policy of one attempt is one attempt, and it failed", "failed", failed)
    bench.expect("R12", "max_attempts=1 is one attempt", [*calls, as_text(names_of["once"], [])], bench.calls)


def _schedule(
    calls: list[tuple[str, dict[str, Any]]], now: float, takes: float
) -> tuple[dict[str, list[float]], float]:
    """By rule R12: when each attempt of these calls with their policies begins, and when the last one ends."""
    begins = {}
    for name, policy in calls:
        count = policy["max_attempts"]
        pauses = waits(policy, count) if count > 1 else []
        begins[name] = [now + sum(pauses[:k]) + takes * k for k in range(count)]
        now = begins[name][-1] + takes  # no wait after the last attempt
    return begins, now


@pytest.mark.todo(1, 4)
def test_exhausted_retries_fail_the_run_cleanly(bench: Bench, seed: Random) -> None:
    """R6, R12, R13"""
    values = Values(seed)
    policy = values.policy(seed.randint(2, 5))
    before, down, late, card = values.steps(4)
    errors = values.errors(policy["max_attempts"])
    last = f"{type(errors[-1]).__name__}: {errors[-1]}"
    first, broken = bench.activity(before), bench.activity(down, *errors)
    after = bench.activity(late, result := values.value())
    differs(bench, "a failure behind a success, with another number of attempts")
    args = values.arguments()

    def workflow(ctx: Any, order: Any) -> Any:
        ctx.call_activity(first)
        ctx.call_activity(broken, *args, retry=bench.m.RetryPolicy(**policy))
        return ctx.call_activity(after)

    result_of_run = run_to_failure(bench, workflow, bench.state(values.run_id()))
    must = "an ActivityError that leaves the workflow ends the run as failed"
    bench.expect_status("R13", must, "failed", result_of_run)
    bench.expect("R13", "a failed run has no value", None, result_of_run.value)
    text = str(result_of_run.error)
    bench.expect_true("R6", "the error names the activity and the last error", down in text and last in text, text)
    calls = [as_text(before, []), *[as_text(down, args)] * len(errors)]
    bench.expect("R13", "nothing runs after the failure", calls, bench.calls)
    record = [[c.name, c.ok, c.error] for c in result_of_run.state.commands]
    must = "the failure is recorded as an outcome, behind what succeeded"
    bench.expect("R6", must, [[before, True, None], [down, False, last]], record)
    differs(bench, "final errors named by class, by name and by a class above, after other errors")
    _expect_final_errors(bench, values, card)
    _expect_a_failed_run(bench, values, after)
    differs(bench, "another bug in the workflow, and code that is fixed afterwards")
    want = [[result, before], [as_text(before, [])]]
    _expect_to_go_on_after_a_bug(bench, values, first, after, want)


class _Overboard(RuntimeError):
    pass


def _expect_a_failed_run(bench: Bench, values: Values, after: Any) -> None:
    """A RuntimeError of the workflow's own, or of a subclass, fails the run."""
    differs(bench, "a subclass of RuntimeError raised by the workflow, behind a success")
    reason, kind = f"{values.person()}: {values.value(0)}", values.seed.choice((RuntimeError, _Overboard))

    def refuse(ctx: Any, order: Any) -> Any:
        ctx.call_activity(after)
        raise kind(reason)

    failed = run_to_failure(bench, refuse, bench.state(values.run_id()))
    bench.expect_status("R13", "so does a RuntimeError of the workflow's own", "failed", failed)
    bench.expect_true("R13", "the error says what the workflow said", reason in str(failed.error), str(failed.error))


def _expect_to_go_on_after_a_bug(bench: Bench, values: Values, first: Any, after: Any, want: Any) -> None:
    """Another exception leaves `run` as it is; the corrected workflow continues from what was recorded."""
    bug = values.seed.choice((KeyError, TypeError, ZeroDivisionError, AttributeError, IndexError))

    def mistaken(ctx: Any, order: Any) -> Any:
        ctx.call_activity(after)
        raise bug("a slip of the pen")

    def fixed(ctx: Any, order: Any) -> Any:
        return [ctx.call_activity(after), ctx.call_activity(first)]

    bench.journal.clear()
    start = bench.state(values.run_id(), values.value())
    found = what_came_out(lambda: bench.run(mistaken, start)).partition(":")[0]
    bench.expect("R13", "a bug in the workflow comes out as it is", bug.__name__, found)
    bench.calls.clear()
    went_on = bench.run(fixed, bench.restart(bench.recorded(start)))
    bench.expect_status("R13", "the fixed workflow goes on", "completed", went_on)
    must = "history can be resumed once the code is fixed"
    bench.expect("R13", must, want, [went_on.value, bench.calls])


def _expect_final_errors(bench: Bench, values: Values, name: str) -> None:
    """Errors that end the attempts at once: named by class, by name, by a class above; and others that do not."""

    class Refused(ValueError):
        pass

    class RefusedForGood(Refused):
        pass

    noise: tuple[Any, ...] = (ZeroDivisionError, "NoSuchError", "ref", "Error")
    finals = (RefusedForGood, "RefusedForGood", Refused, "Refused", ValueError, "nothing of that kind")
    for final in finals:
        attempts = values.seed.randint(4, 6)
        before = [OSError("line busy")] * values.seed.randint(0, 2)
        card = bench.activity(name, *before, RefusedForGood("no"))
        policy = bench.m.RetryPolicy(
            max_attempts=attempts, non_retryable=tuple(values.mixed(values.seed.sample(noise, 2), [final]))
        )
        bench.calls.clear()

        def workflow(ctx: Any, order: Any, act: Any = card, own: Any = policy) -> Any:
            ctx.call_activity(act, retry=own)

        result = run_to_failure(bench, workflow, bench.state(values.run_id()))
        if final is finals[-1]:
            bench.expect("R12", "an error of another kind does not end the attempts", attempts, len(bench.calls))
        else:
            bench.expect("R12", "a non-retryable error ends the attempts at once", len(before) + 1, len(bench.calls))
        bench.expect_status("R13", "an unhandled failure fails the run", "failed", result)


@pytest.mark.todo(1, needs=(4,))
def test_a_recorded_failure_is_replayed_and_compensated_in_reverse(bench: Bench, seed: Random) -> None:
    """R6"""
    values = Values(seed)
    steps = values.steps(seed.randint(2, 4))
    last, attempts = values.step(), seed.randint(2, 4)
    undo = {name: f"un_{name}" for name in steps}
    stuck = seed.choice(steps)  # this one cannot be undone either
    error, worse = values.errors(2)
    retried = values.value()  # what would come if a failure were tried again
    differs(bench, "a compensation that fails, too, and a crash in the middle of it")
    acts = {name: bench.activity(name) for name in (*steps, *undo.values())}
    acts[last] = bench.activity(last, *[error] * attempts, retried)
    acts[undo[stuck]] = bench.activity(undo[stuck], worse, retried)
    dying = [Crash("killed in the middle of the compensation")]
    fatal = seed.choice(steps)

    def workflow(ctx: Any, order: Any) -> Any:
        done = []
        try:
            for name in steps:
                ctx.call_activity(acts[name])
                done.append(name)
            return ctx.call_activity(acts[last], retry=bench.m.RetryPolicy(max_attempts=attempts))
        except bench.m.ActivityError as failure:
            seen = [_facts(failure)]
            for name in reversed(done):
                try:
                    ctx.call_activity(acts[undo[name]], retry=bench.m.RetryPolicy(max_attempts=1))
                except bench.m.ActivityError as second:
                    seen.append(_facts(second))
                if name == fatal and dying:
                    raise dying.pop() from None
            return seen

    found = bench.crash(workflow, bench.state(values.run_id()))
    first = run_to_failure(bench, workflow, found)
    bench.expect_status("R6", "a workflow that handles a failure is completed", "completed", first)
    order = [*steps, *[last] * attempts, *(undo[name] for name in reversed(steps))]
    calls = [as_text(name, []) for name in order]
    must = "the workflow catches the failure and compensates in reverse; after a crash it goes on with that"
    bench.expect("R6", must, calls, bench.calls)
    facts = [[last, type(error).__name__, str(error), attempts], [undo[stuck], type(worse).__name__, str(worse), 1]]
    must = "an error carries activity, type, message and attempts"
    bench.expect("R6", must, facts, [fact[:4] for fact in first.value])
    outcomes = [[c.name, c.ok, c.error] for c in first.state.commands if not c.ok]
    want = [[last, False, f"{type(error).__name__}: {error}"], [undo[stuck], False, f"{type(worse).__name__}: {worse}"]]
    bench.expect("R6", "each failure is recorded as an outcome", want, outcomes)
    differs(bench, "a replay of two failures")
    again = run_to_failure(bench, workflow, bench.restart(first.state))
    bench.expect("R6", "a recorded failure is raised again, not tried again", calls, bench.calls)
    bench.expect_status("R6", "a replay of it ends as the run did", "completed", again)
    bench.expect("R6", "replay sees the same errors, and takes the same branch", first.value, again.value)


def _facts(error: Any) -> list[Any]:
    return [error.activity, error.error_type, error.message, error.attempts, str(error)]
