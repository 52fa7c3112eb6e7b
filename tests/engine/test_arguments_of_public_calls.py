"""Arguments of public calls are checked before anything happens: no effect comes before the error."""

import enum
import functools
import gc
import math
import threading
import warnings

import pytest

from solution.engine import (
    ActivityError,
    Command,
    DurableEngine,
    RetryPolicy,
    SimulatedClock,
    UnrecordableError,
    WorkflowState,
)

NUMBERS = {
    "negative": -1,
    "negative float": -0.5,
    "NaN": math.nan,
    "infinity": math.inf,
    "minus infinity": -math.inf,
    "text": "1",
    "None": None,
    "True": True,
    "list": [1],
    "complex": 1j,
}


@pytest.mark.parametrize("field", ["initial_interval", "backoff", "max_interval"])
@pytest.mark.parametrize("kind", NUMBERS)
def test_a_policy_with_a_number_that_makes_no_sense_is_refused_when_it_is_made(field, kind):
    with pytest.raises(ValueError, match="RetryPolicy"):
        RetryPolicy(**{field: NUMBERS[kind]})


@pytest.mark.parametrize("value", [*NUMBERS.values(), 0, 1.0, 2.5], ids=[*NUMBERS, "0", "1.0", "2.5"])
def test_max_attempts_is_an_integer_of_1_or_more(value):
    with pytest.raises(ValueError, match="1 attempt or more"):
        RetryPolicy(max_attempts=value)


FINAL = {"text": "Declined", "class": ValueError, "number": 5, "None": None, "numbers": (5,), "a dict": {OSError: 1}}


@pytest.mark.parametrize("kind", FINAL)
def test_non_retryable_is_a_tuple_of_classes_or_names(kind):
    with pytest.raises(ValueError, match="tuple of classes or names"):
        RetryPolicy(non_retryable=FINAL[kind])


def test_an_interval_of_zero_stays_zero_after_very_many_attempts():
    policy = RetryPolicy(max_attempts=5000, initial_interval=0)
    assert {policy.interval(k) for k in (0, 1, 1023, 1024, 4999)} == {0}


@pytest.mark.parametrize("retry", [3, 0, "twice", RetryPolicy], ids=["3", "0", "text", "class"])
def test_a_retry_that_is_no_policy_is_refused_before_the_activity_runs(bench, retry):
    pay = bench.activity("pay")
    with pytest.raises(TypeError, match="retry="):
        bench.run(lambda ctx, order: ctx.call_activity(pay, retry=retry))
    with pytest.raises(ValueError, match="RetryPolicy"):
        DurableEngine(retry=retry)
    assert bench.calls == []


@pytest.mark.parametrize("journal", [[], "file", 5], ids=["list", "text", "number"])
def test_a_journal_that_cannot_be_called_is_refused_before_there_is_anything_to_record(journal):
    with pytest.raises(ValueError, match="journal"):
        DurableEngine(journal=journal)


class Name(enum.Enum):
    GO = "go"


class Odd:
    __name__ = 7

    def __call__(self):
        return 1


@pytest.mark.parametrize("name", [5, None, ("a", "b"), ["a"], Name.GO], ids=["5", "None", "tuple", "list", "enum"])
def test_a_name_that_is_no_string_is_refused_wherever_it_is_given(bench, name):
    with pytest.raises(TypeError, match="name of a signal"):
        bench.engine().signal(bench.state(), name, 1)
    with pytest.raises(TypeError, match="name of a signal"):
        bench.run(lambda ctx, order: ctx.wait_signal(name))
    with pytest.raises(TypeError, match="workflow_id"):
        bench.engine().run(lambda ctx, order: 1, WorkflowState(name))
    assert bench.journal == []


def test_an_activity_whose_name_is_no_string_is_refused_before_it_runs(bench):
    with pytest.raises(TypeError, match="takes a function"):
        bench.run(lambda ctx, order: ctx.call_activity(Odd()))
    assert bench.journal == []


def test_a_string_that_is_an_enum_is_a_name_like_any_other(bench):
    go = enum.Enum("Go", {"GO": "go"}, type=str).GO
    state = WorkflowState.from_json(bench.engine().signal(bench.state(), go, 1).to_json())
    result = bench.run(lambda ctx, order: ctx.wait_signal("go"), state)
    assert (result.status, result.value) == ("completed", 1)


# ------------------------------------------------------------ clocks


class Broken:
    """A clock that gives `readings` in turn; an exception among them is raised."""

    def __init__(self, *readings):
        self.readings = list(readings)

    def now(self):
        reading = self.readings.pop(0) if len(self.readings) > 1 else self.readings[0]
        if isinstance(reading, BaseException):
            raise reading
        return reading

    def sleep(self, seconds):
        raise OSError("no timer")


def stubborn(*calls):
    """A workflow that continues with the next call whatever happens."""

    def workflow(ctx, order):
        for call in calls:
            try:
                call(ctx)
            except Exception:
                continue
        return "end"

    return workflow


@pytest.mark.parametrize("reading", [None, "noon", math.nan, math.inf, True, OSError("no clock")], ids=repr)
@pytest.mark.parametrize("good", [0, 1])
def test_a_clock_that_fails_ends_the_run_and_no_second_activity_gets_the_key(bench, reading, good):
    first, second = bench.activity("first"), bench.activity("second")
    bench.clock = Broken(*[1.0] * good, reading)
    with pytest.raises((TypeError, ValueError, OSError)):
        bench.run(stubborn(lambda ctx: ctx.call_activity(first), lambda ctx: ctx.call_activity(second)))
    assert bench.calls == ["first()"] * good
    assert bench.journal == []


@pytest.mark.parametrize("reading", [None, math.nan, OSError("no clock")], ids=repr)
@pytest.mark.parametrize("ask", [lambda ctx: ctx.now(), lambda ctx: ctx.wait_signal("go")], ids=["now", "wait_signal"])
def test_no_time_that_is_none_is_recorded_or_overlooked(bench, reading, ask):
    pay = bench.activity("pay")
    state = bench.signal(bench.state(), "go", 1)
    bench.journal.clear()
    bench.clock = Broken(reading)
    with pytest.raises((TypeError, ValueError, OSError)):
        bench.run(stubborn(ask, lambda ctx: ctx.call_activity(pay)), state)
    assert (bench.calls, bench.journal) == ([], [])


def test_a_signal_has_a_time_that_can_be_read_again(bench):
    bench.clock = Broken(None)
    with pytest.raises(ValueError, match="the clock: expected"):
        bench.signal(bench.state(), "go", 1)
    assert bench.journal == []


def test_an_error_of_the_engine_between_effect_and_record_ends_the_run(bench):
    """Whatever leaves `_perform` is no outcome of the activity; else the next command would take over its key."""
    first, second = bench.activity("first", OSError("busy")), bench.activity("second")
    bench.clock = Broken(1.0)
    with pytest.raises(OSError, match="no timer"):
        bench.run(stubborn(lambda ctx: ctx.call_activity(first), lambda ctx: ctx.call_activity(second)))
    assert bench.calls == ["first()"]


@pytest.mark.parametrize("kind", [k for k in NUMBERS if "negative" not in k])
def test_simulated_time_is_a_finite_number(kind):
    with pytest.raises(ValueError, match="start"):
        SimulatedClock(NUMBERS[kind])
    with pytest.raises(ValueError, match="seconds"):
        SimulatedClock().sleep(NUMBERS[kind])


# ------------------------------------------------------------ what an activity is


class Mail:
    def send(self, text):
        return "mailed"

    @classmethod
    def of_class(cls, text):
        return "mailed"


class Sms:
    def send(self, text):
        return "texted"

    @classmethod
    def of_class(cls, text):
        return "texted"


class Fax(Mail):
    """Its `send` is inherited."""


class Call:
    def __call__(self, text):
        return "called"


PAIRS = {
    "methods": (Mail().send, Sms().send),
    "an inherited method": (Mail().send, Fax().send),
    "class methods": (Mail.of_class, Sms.of_class),
    "callable objects": (Call(), Odd),
    "builtin methods": ([].count, ().count),
    "bound arguments": (functools.partial(Mail().send, "hi"), functools.partial(Mail().send, "ho")),
    "a bound argument that is gone": (functools.partial(divmod, 7), divmod),
    "classes": (str, int),
}


@pytest.mark.parametrize("kind", PAIRS)
def test_another_activity_of_the_same_shape_is_a_divergence(bench, kind):
    """R3"""
    before, after = PAIRS[kind]
    args = () if "bound" in kind else ("1",)
    args = (2,) if "divmod" in repr(before) else args

    def workflow_with(act):
        def workflow(ctx, order):
            first = ctx.call_activity(act, *args)
            ctx.wait_signal("go")
            return first

        return workflow

    blocked = bench.run(workflow_with(before))
    assert blocked.status == "blocked", blocked.error
    done = bench.run(workflow_with(after), bench.signal(blocked.state, "go"))
    assert (done.status, str(done.error).partition(":")[0]) == ("failed", "NonDeterminismError")


def test_what_partial_has_bound_is_recorded_as_an_argument(pair):
    live, replayed = pair(lambda ctx, order: ctx.call_activity(functools.partial(divmod, 7), 2))
    assert live.value == replayed.value == [3, 1]
    assert [(c.name, c.args) for c in live.state.commands] == [("divmod", [7, 2])]


def by_keyword(function):
    @functools.wraps(function)
    def wrapper(*args, **named):
        return function(*args, **named)

    return wrapper


def by_position(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


def keyed(order, *, idempotency_key=None):
    return [order, idempotency_key]


def positional(order, idempotency_key=None, /):
    return [order, idempotency_key]


WRAPPED = {
    "passes keywords on": (by_keyword(keyed), "w-1/0"),
    "passes keywords on twice": (by_keyword(by_keyword(keyed)), "w-1/0"),
    "takes positions only": (by_position(keyed), None),
    "takes positions below": (by_keyword(by_position(keyed)), None),
    "takes positions above": (by_position(by_keyword(keyed)), None),
    "a cache": (functools.lru_cache(keyed), "w-1/0"),
    "a position of that name": (positional, None),
}


@pytest.mark.parametrize("kind", WRAPPED)
def test_an_activity_is_called_as_its_outermost_wrapper_allows(bench, kind):
    """R11"""
    act, key = WRAPPED[kind]
    result = bench.run(lambda ctx, order: ctx.call_activity(act, "A1"))
    assert result.value == ["A1", key], result.error


async def fetch(url):
    return url


class AsyncCall:
    async def __call__(self, url):
        return url


async def stream(url):
    yield url


def lines(url):
    yield url


@pytest.mark.parametrize("act", [fetch, AsyncCall(), stream, lines, lambda url: map(str, [url])])
def test_an_activity_that_has_yet_to_run_is_refused_with_the_cause_and_no_address(bench, act):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        result = bench.run(lambda ctx, order: ctx.call_activity(act, "x"))
        gc.collect()
    assert result.status == "failed"
    assert "async" in result.error
    assert "0x" not in result.error
    assert [str(one.message) for one in heard] == []


# ------------------------------------------------------------ ctx ends with its run


def lazily(ctx, order):
    return map(ctx.call_activity, [print, print])


async def in_async(ctx, order):
    return 1


def in_generator(ctx, order):
    yield ctx.now()


async def in_async_generator(ctx, order):
    yield ctx.now()


LAZY = [lazily, in_async, in_generator, in_async_generator, lambda ctx, order: zip([1], [2], strict=True)]


@pytest.mark.parametrize("workflow", LAZY)
def test_a_workflow_whose_value_has_yet_to_run_is_refused(bench, workflow):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        with pytest.raises(TypeError, match="plain function"):
            bench.run(workflow)
        gc.collect()
    assert [str(one.message) for one in heard] == []
    assert bench.journal == []


USES = {
    "call_activity": lambda ctx: ctx.call_activity(print),
    "with a policy": lambda ctx: ctx.call_activity(print, retry=RetryPolicy()),
    "now": lambda ctx: ctx.now(),
    "wait_signal": lambda ctx: ctx.wait_signal("go"),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("ending", ["completed", "blocked", "failed", "a bug"])
def test_a_ctx_that_is_kept_refuses_every_call_after_its_run(bench, use, ending):
    """R1, R9, R10"""
    kept, wait = [], bench.m.WorkflowBlocked("never")
    errors = {"completed": None, "blocked": wait, "failed": RuntimeError("no"), "a bug": KeyError("x")}

    def workflow(ctx, order):
        kept.append(ctx)
        ctx.now()
        if errors[ending]:
            raise errors[ending]

    state = bench.signal(bench.state(), "go", 1)
    if ending == "a bug":
        with pytest.raises(KeyError):
            bench.run(workflow, state)
    else:
        result = bench.run(workflow, state)
        before = result.state.to_json()
    told = len(bench.journal)
    with pytest.raises(RuntimeError, match="this run has ended"):
        USES[use](kept[0])
    assert len(bench.journal) == told
    assert ending == "a bug" or result.state.to_json() == before


def test_a_thread_that_outlives_the_run_records_nothing(bench):
    """R1, R10"""
    started, ended, done = threading.Event(), threading.Event(), []

    def slow():
        started.set()
        ended.wait(10)
        return "late"

    def in_thread(ctx):
        for _ in range(3):
            try:
                ctx.call_activity(slow)
            except Exception as error:
                done.append(error)

    def workflow(ctx, order):
        thread = threading.Thread(target=in_thread, args=(ctx,))
        thread.start()
        started.wait(10)
        return thread

    result = bench.run(workflow)
    before = result.state.to_json()
    ended.set()
    result.value.join(10)
    assert (len(done), bench.journal, result.state.to_json()) == (3, [], before)


# ------------------------------------------------------------ values


def nested(levels):
    value = 1
    for _ in range(levels):
        value = [value]
    return value


def circle():
    value = []
    value.append(value)
    return value


@pytest.mark.parametrize("value", [nested(101), circle(), {"a": circle()}], ids=["deep", "circle", "circle in a dict"])
def test_a_value_that_is_too_deep_is_refused_with_that_reason(bench, value):
    with pytest.raises(UnrecordableError, match="100 levels deep, or contains itself"):
        bench.run(lambda ctx, order: ctx.call_activity(print, value))


def test_a_record_that_was_refused_leaves_no_value_behind(bench):
    def act():
        return {1, 2}

    def workflow(ctx, order):
        with pytest.raises(ActivityError):
            ctx.call_activity(act)

    [command] = bench.run(workflow).state.commands
    assert isinstance(command, Command)
    assert (command.ok, command.value) == (False, None)
