"""TODO 1: how the workflow sees a failed activity, live and on replay."""

from durable_lab.checks.bench import Crash
from durable_lab.checks.failure import show
from durable_lab.diagnosis.probe_bench import command_names, error_name
from durable_lab.diagnosis.probes.probe import probe


def booking(b, car, seen):
    """Return a workflow that books a flight and a car; without a car it cancels the flight. `seen` gets the errors."""
    flight, undo = b.activity("flight", "seat 3"), b.activity("undo_flight", "given back")

    def trip(ctx, order):
        ctx.call_activity(flight)
        try:
            return ctx.call_activity(car)
        except Exception as error:
            fields = [getattr(error, name, None) for name in ("activity", "error_type", "message", "attempts")]
            seen.append([error_name(error), *fields])
            b.log(f"caught: {error_name(error)}, type {fields[1]}")
            b.log(f"   message: {fields[2]}, attempts: {fields[3]}")
            ctx.call_activity(undo)
            return "no trip"

    return trip


@probe(1)
def a_failure_is_caught(b):
    """A flight is booked, and no car is available. The workflow catches the failure and cancels the flight."""
    seen = []
    end = b.try_run(booking(b, b.activity("car", TimeoutError("no answer: at all")), seen))
    yield "value", end.value
    yield "ends", end.status
    yield "records", command_names(end.state)
    error = seen[0] if seen else [None] * 5
    yield "caught", error[0]
    yield "type and message are right", error[2:4] == ["TimeoutError", "no answer: at all"]
    yield "type", error[2]
    yield "message", error[3]
    whole = "no answer: at all"
    part = isinstance(error[3], str) and error[3] in whole
    yield "is left", "all" if [error[2:4]] == [["TimeoutError", whole]] else "a part" if part else "something else"
    yield "attempts", error[4]


@probe(1)
def a_failure_on_replay(b):
    """No car was available, and the flight was cancelled. Now there are cars, and support opens the trip again."""
    seen = []
    car = b.activity("car", *[TimeoutError("no answer: at all")] * 3, "a car after all")
    trip = booking(b, car, seen)
    first = b.try_run(trip)
    calls = len(b.calls)
    again = b.try_run(trip, b.next_process(first.state))
    yield "runs again", b.calls[calls:]
    yield "tries again", "car()" in b.calls[calls:]
    yield "ends", again.status
    yield "same answer", again.value == first.value
    yield "same error", not (len(seen) == 2 and seen[0] != seen[1])


@probe(1)
def a_failure_before_a_power_cut(b):
    """No car is available. The power fails while the flight is cancelled. A new process continues; there is a car."""
    seen = []
    car = b.activity("car", *[TimeoutError("no answer")] * 3, "a car after all")
    flight, undo = b.activity("flight"), b.activity("undo_flight", Crash("power cut"), "given back")

    def trip(ctx, order):
        ctx.call_activity(flight)
        try:
            return ctx.call_activity(car)
        except b.m.ActivityError as error:
            seen.append([error.error_type, error.message, error.attempts])
            return [ctx.call_activity(undo)]

    first = b.try_run(trip)
    calls = len(b.calls)
    yield "in the journal", command_names(first.state)
    second = b.try_run(trip, first.state)
    yield "then runs", b.calls[calls:]
    yield "ends", second.status


@probe(1)
def a_failure_that_nobody_catches(b):
    """The bank cannot pay, and the workflow does not catch the failure. The next step is shipping."""
    pay, ship = b.activity("pay", ValueError("closed")), b.activity("ship")
    end = b.try_run(lambda ctx, order: [ctx.call_activity(pay, 30), ctx.call_activity(ship)])
    yield "ends", end.status
    yield "ships", "ship()" in b.calls
    oks = [command.ok for command in end.state.commands]
    b.log(f"ok in the record: {show(oks[:1])}")
    yield "ok in the record", oks
    yield "the last error is told", "closed" in end.error


@probe(1)
def the_process_dies_in_a_call(b):
    """The power fails during the call to the bank. A new process continues."""
    pay = b.activity("pay", Crash("power cut"), "receipt")

    def refund(ctx, order):
        return ctx.call_activity(pay, 30)

    end = b.try_run(refund)
    yield "the process", end.status
    yield "in the journal", command_names(end.state)
    calls = len(b.calls)
    second = b.try_run(refund, end.state)
    yield "then runs", b.calls[calls:]
    yield "value", second.value


def caught_message(b, message):
    """Return the message that the workflow gets of an activity that fails with this one."""
    got = []

    def workflow(ctx, order):
        try:
            ctx.call_activity(b.activity("pay", ValueError(message)))
        except b.m.ActivityError as error:
            got.append(error.message)
            b.log(f"the workflow gets the message {show(error.message)}")

    b.try_run(workflow)
    return got[0] if got else None


@probe(1)
def a_message_of_several_lines(b):
    """The bank cannot pay, and says why in three lines."""
    yield "is right", caught_message(b, "closed:\nthe account\n  of Kim") == "closed:\nthe account\n  of Kim"


@probe(1)
def the_number_of_attempts_that_were_made(b):
    """Four attempts are allowed. The bank is busy, and then its refusal is final. Later the policy allows seven."""
    pay = b.activity("pay", OSError("line busy"), KeyError("declined"))
    told = []

    def refund(ctx, order):
        try:
            ctx.call_activity(pay, 30)
        except b.m.ActivityError as error:
            told.append(error.attempts)
            b.log(f"the workflow is told of {show(error.attempts)} attempts")

    first = b.try_run(refund, retry=b.policy(max_attempts=4, non_retryable=(KeyError,)))
    if len(b.calls) == 2:
        b.try_run(refund, b.next_process(first.state), retry=b.policy(max_attempts=7, non_retryable=(KeyError,)))
        yield "told", told
        yield "as allowed", told[:1] == [4] or told[1:] == [7]


@probe(1)
def when_a_step_began_and_ended(b):
    """At second 1001 the bank is called for two seconds, and it is busy; then for three seconds, and it pays."""
    seconds = [2.0, 3.0]

    def busy():
        b.clock.sleep(seconds.pop(0))
        return OSError("line busy") if seconds else "receipt"

    def refund(ctx, order):
        b.clock.sleep(1.0)
        return ctx.call_activity(b.activity("pay", answer=busy))

    end = b.try_run(refund)
    times = [[round(command.started_at), round(command.ended_at)] for command in end.state.commands]
    b.log(f"began and ended at {show(times)}")
    yield "right", times in ([], [[1001, 1006]])
    tries = [one for command in end.state.commands for one in command.tries]
    yield (
        "attempts are right",
        [[round(one.started_at), round(one.ended_at)] for one in tries]
        in (
            [],
            [[1001, 1003], [1003, 1006]],
        ),
    )
