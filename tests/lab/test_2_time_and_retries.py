"""Time, retries and failures: what the outside world does to a run."""

from itertools import pairwise

import pytest

from durable_lab.checks.bench import Bench


def run_to_failure(bench, workflow, state=None, **options):
    """Run a workflow whose activities fail: however that ends, none of these errors may come out of `run`."""
    try:
        return bench.run(workflow, state, **options)
    except (bench.m.ActivityError, OSError, RuntimeError) as error:
        must = "a failed activity is an ActivityError in the workflow, and a failed workflow is a result of `run`"
        raise bench.broken("R13", must, f"{type(error).__name__} came out of `run`: {error}") from None


@pytest.mark.todo(2, needs=(1, 4))
def test_now_is_recorded_once_and_replayed(bench: Bench) -> None:
    """R7, R1"""

    def an_hour():
        bench.clock.sleep(3600)

    pause = bench.activity("pause", answer=an_hour)
    bench.clock = bench.m.SimulatedClock(0.0)  # midnight is a time like any other

    def parcel(ctx, order):
        first = ctx.now()
        ctx.call_activity(pause)
        return [first, ctx.now()]

    result = bench.run(parcel)
    bench.expect_status("R7", "a workflow may ask for the time", "completed", result)
    bench.expect("R7", "now is the time on the engine's clock", [0.0, 3600.0], result.value)
    kinds = [[c.kind, c.value] for c in result.state.commands if c.kind == "now"]
    bench.expect("R7", "each look at the clock is a recorded command", [["now", 0.0], ["now", 3600.0]], kinds)
    told = [c.kind for c in bench.journal]
    bench.expect("R1", "the journal is told of every look at the clock", ["now", "activity", "now"], told)
    bench.clock.sleep(86_400)
    again = bench.run(parcel, bench.restart(result.state))
    bench.expect_status("R7", "a replay a day later ends as the run did", "completed", again)
    bench.expect("R7", "a replay a day later gets the recorded times", [0.0, 3600.0], again.value)
    bench.expect("R2", "nothing runs again", ["pause()"], bench.calls)


@pytest.mark.todo(1, needs=(4,))
def test_a_flaky_activity_succeeds_and_leaves_one_outcome(bench: Bench) -> None:
    """R2, R6, R11, R12"""
    flaky = bench.activity("pay", OSError("line busy"), ValueError("bad luck"), "paid")

    def shop(ctx, order):
        return ctx.call_activity(flaky, 30)

    result = bench.run(shop)
    bench.expect_status("R12", "an activity that succeeds at its third attempt has succeeded", "completed", result)
    bench.expect("R12", "the workflow gets the result of the good attempt", "paid", result.value)
    bench.expect("R12", "the default policy makes three attempts at most", ["pay(30)"] * 3, bench.calls)
    bench.expect("R11", "each attempt has the same idempotency key", ["w-1/0"] * 3, bench.keys)
    bench.expect("R6", "three attempts leave one record", 1, len(result.state.commands))
    bench.expect("R6", "three attempts are told to the journal once", 1, len(bench.journal))
    command = result.state.commands[0]
    errors = [attempt.error for attempt in command.tries]
    bench.expect("R6", "the record carries its attempts", ["OSError: line busy", "ValueError: bad luck", None], errors)
    bench.expect("R6", "its outcome is the final one", [True, "paid", None], [command.ok, command.value, command.error])
    bench.expect("R12", "the default policy waits 1 and 2 seconds", 1003.0, bench.clock.now())
    bench.run(shop, bench.restart(result.state))
    bench.expect("R2", "a replay does not try again", ["pay(30)"] * 3, bench.calls)
    bench.expect("R2", "a replay does not wait again", 1003.0, bench.clock.now())


@pytest.mark.todo(1, needs=(4,))
def test_the_waits_between_attempts_grow_on_the_injected_clock(bench: Bench) -> None:
    """R12"""
    policy = bench.m.RetryPolicy(max_attempts=6, initial_interval=0.5, backoff=4.0, max_interval=20.0)
    times = []

    def note() -> None:
        times.append(bench.clock.now())
        raise OSError("still down")

    down = bench.activity("ping", answer=note)

    def watch(ctx, order):
        try:
            ctx.call_activity(down, retry=policy)
        except bench.m.ActivityError as error:
            return error.attempts

    result = run_to_failure(bench, watch)
    bench.expect("R12", "max_attempts counts every attempt", 6, len(bench.calls))
    waits = [b - a for a, b in pairwise(times)]
    bench.expect(
        "R12", "wait k is initial_interval * backoff**k, at most max_interval", [0.5, 2.0, 8.0, 20.0, 20.0], waits
    )
    bench.expect("R12", "there is no wait after the last attempt", times[-1], bench.clock.now())
    bench.expect("R6", "the error says how many attempts there were", 6, result.value)
    recorded = [attempt.started_at for command in result.state.commands for attempt in command.tries]
    bench.expect("R6", "the record says when each attempt began", times, recorded)
    once = bench.activity("once", OSError("no"))

    def tries_once(ctx, order):
        ctx.call_activity(once)

    run_to_failure(bench, tries_once, retry=bench.m.RetryPolicy(max_attempts=1))
    bench.expect("R12", "max_attempts=1 is one attempt", 1, bench.calls.count("once()"))


@pytest.mark.todo(1, 4)
def test_exhausted_retries_fail_the_run_cleanly(bench: Bench) -> None:
    """R6, R12, R13"""

    class Declined(ValueError):
        pass

    down, card = bench.activity("ship", OSError("a"), OSError("b")), bench.activity("charge", Declined("no money"))
    late = bench.activity("late")

    def shop(ctx, order):
        ctx.call_activity(down, "A1")
        ctx.call_activity(late)

    result = run_to_failure(bench, shop)
    bench.expect_status("R13", "an ActivityError that leaves the workflow ends the run as failed", "failed", result)
    bench.expect("R13", "a failed run has no value", None, result.value)
    text = str(result.error)
    bench.expect_true(
        "R6", "the error names the activity and the last error", "ship" in text and "OSError: b" in text, text
    )
    bench.expect("R13", "nothing runs after the failure", ['ship("A1")'] * 3, bench.calls)
    record = [[c.name, c.ok, c.error] for c in result.state.commands]
    bench.expect("R6", "the failure is recorded as an outcome", [["ship", False, "OSError: b"]], record)
    for final in (Declined, "Declined", ValueError):  # a class stands for its subclasses
        bench.calls.clear()
        policy = bench.m.RetryPolicy(max_attempts=5, non_retryable=(final,))

        def pay(ctx, order, policy=policy):
            ctx.call_activity(card, retry=policy)

        result = run_to_failure(bench, pay, bench.state("w-2"))
        bench.expect("R12", "a non-retryable error ends the attempts at once", ["charge()"], bench.calls)
        bench.expect_status("R13", "a non-retryable error fails the run", "failed", result)

    def refuse(ctx, order):
        raise RuntimeError("out of stock")

    def mistaken(ctx, order):
        ctx.call_activity(late)
        return order["no such key"]

    result = run_to_failure(bench, refuse)
    bench.expect_status("R13", "so does a RuntimeError of the workflow's own", "failed", result)
    bench.journal.clear()
    try:
        bench.run(mistaken, bench.state(given={}))
        found = "no exception came out"
    except KeyError:
        found = "KeyError"
    bench.expect("R13", "a bug in the workflow comes out as it is", "KeyError", found)
    bench.calls.clear()
    found = bench.restart(bench.recorded(bench.state(given={})))

    def fixed(ctx, order):
        return ctx.call_activity(late)

    result = bench.run(fixed, found)
    bench.expect_status("R13", "the fixed workflow goes on", "completed", result)
    found = [result.value, bench.calls]
    bench.expect("R13", "history can be resumed once the code is fixed", ["late", []], found)


@pytest.mark.todo(1, needs=(4,))
def test_a_recorded_failure_is_replayed_and_compensated_in_reverse(bench: Bench) -> None:
    """R6"""
    steps = {name: bench.activity(name) for name in ("flight", "hotel", "undo_flight", "undo_hotel")}
    car = bench.activity("car", TimeoutError("no answer: at all"), TimeoutError("no answer: at all"), "a car after all")

    def trip(ctx, order):
        undo = []
        try:
            for name in ("flight", "hotel"):
                ctx.call_activity(steps[name])
                undo.append(steps[f"undo_{name}"])
            return ctx.call_activity(car, retry=bench.m.RetryPolicy(max_attempts=2))
        except bench.m.ActivityError as error:
            for act in reversed(undo):
                ctx.call_activity(act)
            return [error.activity, error.error_type, error.message, error.attempts, str(error)]

    first = run_to_failure(bench, trip)
    bench.expect_status("R6", "a workflow that handles a failure is completed", "completed", first)
    want = ["flight()", "hotel()", "car()", "car()", "undo_hotel()", "undo_flight()"]
    bench.expect("R6", "the workflow catches the failure and compensates in reverse", want, bench.calls)
    seen = ["car", "TimeoutError", "no answer: at all", 2]
    bench.expect("R6", "the error carries activity, type, message and attempts", seen, first.value[:4])
    again = run_to_failure(bench, trip, bench.restart(first.state))
    bench.expect("R6", "a recorded failure is raised again, not tried again", want, bench.calls)
    bench.expect_status("R6", "a replay of it ends as the run did", "completed", again)
    bench.expect("R6", "replay sees the same error, and takes the same branch", first.value, again.value)
