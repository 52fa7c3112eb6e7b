"""TODO 1: attempts, the waits between them, and when to give up."""

from itertools import pairwise

from durable_lab.diagnosis.probe_bench import command_names, compare_count, really_waits
from durable_lab.diagnosis.probes.probe import probe


def caught(b, fn, *args, **options):
    """Return a workflow that calls one activity, and returns "gave up" if it fails."""

    def workflow(ctx, order):
        try:
            return ctx.call_activity(fn, *args, **options)
        except b.m.ActivityError:
            return "gave up"

    return workflow


@probe(1)
def the_third_attempt_works(b):
    """The bank is busy twice. At the third attempt it pays; three attempts are allowed."""
    pay = b.activity("pay", OSError("line busy"), OSError("line busy"), "receipt")
    end = b.try_run(caught(b, pay, 30))
    yield "ends", end.status
    yield "value", end.value
    yield "calls", len(b.calls)
    yield "records", len(command_names(end.state))
    yield "journal", compare_count(len(b.journal), 1)
    if command_names(end.state):
        command = list(end.state.commands)[-1]
        yield "record", [command.ok, command.value, command.error]
        yield "every attempt is in the record", len(command.tries) == len(b.calls)
        yield "attempts in the record", compare_count(len(command.tries), len(b.calls))


@probe(1)
def no_attempt_works(b):
    """The bank answers: line busy, then: tomorrow, then: closed. Three attempts are allowed."""
    pay = b.activity("pay", OSError("line busy"), OSError("tomorrow"), OSError("closed"))
    end = b.try_run(caught(b, pay, 30))
    yield "calls", len(b.calls)
    yield "attempts", compare_count(len(b.calls), 3)
    yield "value", end.value
    yield "records", len(command_names(end.state))
    if command_names(end.state):
        command = list(end.state.commands)[-1]
        yield "ok", command.ok
        yield "error", command.error
        yield "every attempt is in the record", len(command.tries) == len(b.calls)


@probe(1)
def one_attempt_is_allowed(b):
    """Only one attempt is allowed, and the bank is busy."""
    b.try_run(caught(b, b.activity("pay", OSError("line busy")), 30), retry=b.policy(max_attempts=1))
    yield "attempts", compare_count(len(b.calls), 1)


@probe(1)
def pauses(b):
    """The bank is down. Four attempts are allowed. The waits start at 1 ms and grow by a factor of 3, up to 5 ms."""
    times = []
    ping = b.activity("ping", answer=lambda: times.append(b.clock.now()) or OSError("down"))
    policy = b.policy(max_attempts=4, initial_interval=0.001, backoff=3.0, max_interval=0.005)
    b.try_run(caught(b, ping), retry=policy)
    waits = [round(1000 * (later - earlier), 3) for earlier, later in pairwise(times)]
    want = ([1.0, 3.0] + [5.0] * len(waits))[: len(waits)]
    yield "any", any(waits)
    yield "lengths", waits == want
    yield "ms", waits


@probe(1)
def after_the_last_attempt(b):
    """The bank is down. Three attempts are allowed; after the third there is no reason to wait."""
    times = []
    ping = b.activity("ping", answer=lambda: times.append(b.clock.now()) or OSError("down"))
    b.try_run(caught(b, ping))
    b.log("the workflow gets the failure")
    yield "a pause", b.clock.now() > times[-1]


@probe(1, early=True)
def a_short_pause(b):
    """The bank is busy once. The next attempt follows after a millisecond of the simulated clock."""

    def run():
        b.try_run(caught(b, b.activity("pay", OSError("line busy"), "receipt"), 30))

    start = b.clock.now()
    really = really_waits(b, run)
    b.log(f"the worker {'really sleeps' if really else 'does not sleep'}")
    yield "is slept for real", really
    yield "is on the clock", b.clock.now() > start


@probe(1, early=True)
def an_endless_pause(b):
    """The bank is busy once. The next wait is longer than any machine can sleep, but the clock is simulated."""
    pay = b.activity("pay", OSError("line busy"), "receipt")
    end = b.try_run(caught(b, pay, 30), retry=b.policy(initial_interval=1e20, max_interval=1e20))
    yield "ends", end.status


@probe(1)
def a_final_error(b):
    """The card is declined. By the policy a declined card must not be tried again."""
    asked = {}
    for how, final in (("class", KeyError), ("name", "KeyError"), ("base class", LookupError)):
        calls = len(b.calls)
        charge = b.activity("charge", KeyError("declined"))
        b.log(f"the policy names it by its {how}")
        b.try_run(caught(b, charge, 30), b.state(f"w-{how}"), retry=b.policy(non_retryable=(final,)))
        asked[how] = len(b.calls) - calls
        yield how, asked[how]
    kept = sum(count == 1 for count in asked.values())
    yield "kept", "always" if kept == 3 else "sometimes" if kept else "never"


@probe(1)
def a_pause_after_a_final_error(b):
    """The card is declined, and a declined card must not be tried again."""
    charge = b.activity("charge", KeyError("declined"))
    start = b.clock.now()
    b.try_run(caught(b, charge, 30), retry=b.policy(non_retryable=(KeyError,)))
    yield "pause", b.clock.now() > start and len(b.calls) == 1


@probe(1)
def a_policy_of_the_call(b):
    """The engine allows three attempts. Two calls have policies of their own: one attempt, and five."""
    pay = b.activity("pay", OSError("line busy"))
    made = []
    for allowed in (1, 5):
        calls = len(b.calls)
        b.try_run(caught(b, pay, 30, retry=b.policy(max_attempts=allowed)), b.state(f"w-{allowed}"))
        made.append(len(b.calls) - calls)
    yield "calls", made
    yield "counts", made[0] != made[1]


@probe(1)
def the_policy_of_the_engine(b):
    """One engine allows one attempt, and another allows five. The call has no policy of its own."""
    pay = b.activity("pay", OSError("line busy"))
    made = []
    for allowed in (1, 5):
        calls = len(b.calls)
        b.try_run(caught(b, pay, 30), b.state(f"w-{allowed}"), retry=b.policy(max_attempts=allowed))
        made.append(len(b.calls) - calls)
    yield "calls", made
    yield "counts", made[0] != made[1]


@probe(1)
def a_result_that_cannot_be_recorded(b):
    """The bank pays, and returns a value that JSON cannot represent: NaN."""
    pay = b.activity("pay", {"rate": float("nan")}, {"rate": float("nan")}, {"rate": float("nan")}, "receipt")
    end = b.try_run(caught(b, pay, 30))
    yield "calls", len(b.calls)
    yield "value", end.value


@probe(1)
def a_replay_of_three_attempts(b):
    """The bank was busy twice and then paid. Support opens the order a day later."""
    pay = b.activity("pay", OSError("line busy"), OSError("line busy"), "receipt", "a second receipt")
    first = b.try_run(caught(b, pay, 30))
    b.pass_time(86_400)
    start, calls = b.clock.now(), len(b.calls)
    again = b.try_run(caught(b, pay, 30), b.next_process(first.state))
    yield "waits", b.clock.now() > start
    yield "calls", len(b.calls) - calls
    yield "same answer", again.value == first.value
