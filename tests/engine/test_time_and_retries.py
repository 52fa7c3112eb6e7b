"""R7, R11, R12: time, attempts, waits, and the idempotency key of an activity in flight."""

import functools
import itertools

import pytest

from durable_lab.checks.bench import Crash
from solution.engine import ActivityError, RetryPolicy


@pytest.fixture
def attempts(bench):
    """Run one activity under a policy until it ends: its calls, and the waits between them."""

    def run(policy, *errors):
        times = []

        def act():
            times.append(bench.clock.now())
            outcome = errors[min(len(times), len(errors)) - 1]
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

        result = bench.run(lambda ctx, order: ctx.call_activity(act, retry=policy))
        waits = [later - earlier for earlier, later in itertools.pairwise(times)]
        assert bench.clock.now() == times[-1], "there is no wait after the last attempt"
        return result, len(times), waits

    return run


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_max_attempts_counts_all_attempts(attempts, count):
    result, calls, waits = attempts(RetryPolicy(max_attempts=count), OSError("no"))
    assert (result.status, calls, len(waits)) == ("failed", count, count - 1)
    assert f"attempts: {count}" in result.error


@pytest.mark.parametrize("count", [0, -1])
def test_less_than_one_attempt_is_refused(count):
    with pytest.raises(ValueError, match="max_attempts"):
        RetryPolicy(max_attempts=count)


@pytest.mark.parametrize(
    ("policy", "waits"),
    [
        (RetryPolicy(max_attempts=5), [1.0, 2.0, 4.0, 8.0]),
        (RetryPolicy(max_attempts=4, initial_interval=0.5, backoff=3.0), [0.5, 1.5, 4.5]),
        (RetryPolicy(max_attempts=5, initial_interval=10.0, max_interval=25.0), [10.0, 20.0, 25.0, 25.0]),
        (RetryPolicy(max_attempts=3, initial_interval=50.0, max_interval=7.0), [7.0, 7.0]),
        (RetryPolicy(max_attempts=4, backoff=1.0), [1.0, 1.0, 1.0]),
        (RetryPolicy(max_attempts=3, initial_interval=0.0), [0.0, 0.0]),
        (RetryPolicy(max_attempts=4, initial_interval=8.0, backoff=0.5), [8.0, 4.0, 2.0]),
        (RetryPolicy(max_attempts=3, initial_interval=2, backoff=2, max_interval=3), [2, 3]),
    ],
)
def test_wait_k_is_the_interval_times_the_backoff_to_the_k_and_at_most_the_maximum(attempts, policy, waits):
    assert attempts(policy, OSError("no"))[2] == waits


@pytest.mark.parametrize("k", [1023, 1024, 5000, 10**6])
@pytest.mark.parametrize("backoff", [2.0, 2, 1e300])
def test_a_wait_too_large_for_a_float_is_the_maximum(k, backoff):
    assert RetryPolicy(backoff=backoff, max_interval=60.0).interval(k) == 60.0


def test_two_thousand_attempts_do_not_overflow(attempts):
    result, calls, waits = attempts(RetryPolicy(max_attempts=2000, max_interval=9.0), OSError("no"))
    assert (result.status, calls, waits[-1]) == ("failed", 2000, 9.0)


class Declined(ValueError):
    pass


@pytest.mark.parametrize(
    "final", [Declined, "Declined", ValueError, "ValueError", Exception, "Exception", "BaseException", object]
)
def test_a_non_retryable_class_or_name_or_one_of_its_bases_ends_at_once(attempts, final):
    result, calls, _ = attempts(RetryPolicy(non_retryable=(KeyError, final)), Declined("no money"))
    assert (result.status, calls) == ("failed", 1)
    assert "attempts: 1" in result.error


@pytest.mark.parametrize("other", [KeyError, "KeyError", "Decline", "declined", "Declined: no money", TypeError])
def test_an_error_that_is_not_listed_is_retried(attempts, other):
    assert attempts(RetryPolicy(non_retryable=(other,)), Declined("no money"))[1] == 3


def test_a_non_retryable_error_after_a_retryable_one_ends_there(attempts):
    result, calls, waits = attempts(RetryPolicy(max_attempts=9, non_retryable=(Declined,)), OSError("a"), Declined("b"))
    assert (calls, waits) == (2, [1.0])
    assert [t.error for t in result.state.commands[0].tries] == ["OSError: a", "Declined: b"]


def test_the_policy_of_a_call_goes_before_that_of_the_engine(bench):
    act = bench.activity("act", OSError("no"))
    bench.run(lambda ctx, order: ctx.call_activity(act), retry=RetryPolicy(max_attempts=5))
    assert len(bench.calls) == 5
    bench.calls.clear()
    own = RetryPolicy(max_attempts=2)
    bench.run(lambda ctx, order: ctx.call_activity(act, retry=own), retry=RetryPolicy(max_attempts=5))
    assert len(bench.calls) == 2


def test_the_policy_is_not_part_of_what_is_compared_on_replay(bench):
    act = bench.activity("act", 1)
    first = bench.run(lambda ctx, order: ctx.call_activity(act, retry=RetryPolicy(max_attempts=2)))
    again = bench.run(lambda ctx, order: ctx.call_activity(act), first.state)
    assert (again.value, len(bench.calls)) == (1, 1)


# ---------------------------------------------------------------- R7: time


def test_each_look_at_the_clock_is_recorded_once_and_replayed(bench):
    looks = itertools.count(5)

    class Clock:
        def now(self):
            return next(looks)

    def workflow(ctx, order):
        return [ctx.now(), ctx.now()]

    first = bench.run(workflow, clock=Clock())
    again = bench.run(workflow, first.state, clock=Clock())
    assert first.value == again.value == [5.0, 6.0]
    assert [type(value) for value in first.value + again.value] == [float] * 4
    assert next(looks) == 7, "a replay looks at no clock"


def test_the_time_goes_on_from_the_engines_clock_after_the_recorded_part(bench):
    first = bench.run(lambda ctx, order: [ctx.now(), ctx.wait_signal("go"), ctx.now()])
    bench.clock.sleep(86_400)
    state = bench.signal(first.state, "go")
    result = bench.run(lambda ctx, order: [ctx.now(), ctx.wait_signal("go"), ctx.now()], state)
    assert result.value == [1000.0, None, 87_400.0]


# ---------------------------------------------------------------- R11: the idempotency key


def test_the_key_is_the_workflow_id_and_the_position_among_all_commands(bench):
    pay = bench.activity("pay")

    def workflow(ctx, order):
        ctx.call_activity(pay)
        ctx.now()
        ctx.wait_signal("go")
        ctx.call_activity(pay)

    bench.run(workflow, bench.signal(bench.state("refund-7"), "go"))
    assert bench.keys == ["refund-7/0", "refund-7/3"]


def test_every_attempt_and_every_process_uses_the_same_key(bench):
    pay = bench.activity("pay", OSError("a"), Crash("b"), OSError("c"), Crash("d"), "paid")

    def workflow(ctx, order):
        return [ctx.now(), ctx.call_activity(pay)][1]

    found = bench.crash(workflow)
    found = bench.crash(workflow, found)
    assert bench.run(workflow, found).value == "paid"
    assert bench.keys == ["w-1/1"] * 5


def test_two_workflows_never_share_a_key(bench):
    pay = bench.activity("pay")
    for name in ("a", "b"):
        bench.run(lambda ctx, order: ctx.call_activity(pay), bench.state(name))
    assert bench.keys == ["a/0", "b/0"]


class Bank:
    def __init__(self):
        self.keys = []

    def with_key(self, amount, *, idempotency_key):
        self.keys.append(idempotency_key)
        return amount

    def without_key(self, amount):
        return amount

    @classmethod
    def of_class(cls, amount, idempotency_key=None):
        return [amount, idempotency_key]

    @staticmethod
    def of_nobody(amount, idempotency_key=None):
        return [amount, idempotency_key]

    def __call__(self, amount, *, idempotency_key):
        self.keys.append(idempotency_key)
        return amount


class Plain:
    def __call__(self, amount):
        return amount


def plain_pay(amount, *, idempotency_key):
    return [amount, idempotency_key]


def no_key(amount):
    return amount


def any_keyword(amount, **options):
    return [amount, sorted(options)]


def not_this_key(amount, *, key="mine"):
    return [amount, key]


def key_only_as_a_variable(amount):
    idempotency_key = "mine"
    return [amount, idempotency_key]


def decorated(fn):
    @functools.wraps(fn)
    def inner(*args, **options):
        return fn(*args, **options)

    return inner


CALLABLES = {
    "a function that declares the key": (plain_pay, "plain_pay", [5, "w-1/0"]),
    "a function that does not": (no_key, "no_key", 5),
    "a function that takes any keyword": (any_keyword, "any_keyword", [5, []]),
    "a function with another keyword": (not_this_key, "not_this_key", [5, "mine"]),
    "a function with a variable of that name": (key_only_as_a_variable, "key_only_as_a_variable", [5, "mine"]),
    "a lambda": (lambda amount: amount, "<lambda>", 5),
    "a lambda that declares the key": (
        lambda amount, idempotency_key: [amount, idempotency_key],
        "<lambda>",
        [5, "w-1/0"],
    ),
    "a builtin": (abs, "abs", 5),
    "a builtin method": ("{}".format, "str.format", "5"),
    "a class": (str, "str", "5"),
    "a bound method": (Bank().with_key, "Bank.with_key", 5),
    "a bound method without the key": (Bank().without_key, "Bank.without_key", 5),
    "a class method": (Bank.of_class, "Bank.of_class", [5, "w-1/0"]),
    "a static method": (Bank.of_nobody, "of_nobody", [5, "w-1/0"]),
    "a callable object": (Bank(), "Bank", 5),
    "a callable object without the key": (Plain(), "Plain", 5),
    "a partial": (functools.partial(plain_pay, 7), "plain_pay", None),
    "a partial of a partial": (functools.partial(functools.partial(plain_pay), 7), "plain_pay", None),
    "a partial of a method": (functools.partial(Bank().with_key), "Bank.with_key", 5),
    "a partial without the key": (functools.partial(no_key), "no_key", 5),
    "a decorated function": (decorated(plain_pay), "plain_pay", [5, "w-1/0"]),
    "a decorated function without the key": (decorated(no_key), "no_key", 5),
    "a function decorated twice": (decorated(decorated(plain_pay)), "plain_pay", [5, "w-1/0"]),
    "a partial of a decorated function": (functools.partial(decorated(plain_pay)), "plain_pay", [5, "w-1/0"]),
    "a cached function": (functools.lru_cache(no_key), "no_key", 5),
}


@pytest.mark.parametrize("kind", CALLABLES)
def test_whatever_can_be_called_is_an_activity(pair, bench, kind):
    act, name, wanted = CALLABLES[kind]
    args = [] if kind in ("a partial", "a partial of a partial") else [5]
    wanted = [7, "w-1/0"] if wanted is None else wanted
    live, replayed = pair(lambda ctx, order: ctx.call_activity(act, *args))
    assert (live.status, live.error) == ("completed", None)
    assert live.value == replayed.value == wanted
    assert [c.name for c in live.state.commands] == [name]


@pytest.mark.parametrize("act", [Bank().with_key, Bank()])
def test_a_method_that_declares_the_key_gets_it(bench, act):
    owner = getattr(act, "__self__", act)
    owner.keys.clear()
    bench.run(lambda ctx, order: ctx.call_activity(act, 5))
    assert owner.keys == ["w-1/0"]


@pytest.mark.parametrize(
    "act", ["pay", None, 30, functools.partial(not_this_key, key="other")], ids=["text", "None", "number", "partial"]
)
def test_what_is_no_function_of_positions_is_refused_with_how_to_write_it(bench, act):
    with pytest.raises(TypeError, match="a function, arguments by position"):
        bench.run(lambda ctx, order: ctx.call_activity(act))
    assert bench.journal == []


def test_an_activity_with_wrong_arguments_fails_as_an_activity(bench):
    def workflow(ctx, order):
        try:
            ctx.call_activity(no_key, 1, 2)
        except ActivityError as error:
            return [error.error_type, error.activity]

    assert bench.run(workflow).value == ["TypeError", "no_key"]
