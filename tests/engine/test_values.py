"""R5: what a workflow gets live is what it gets on replay, and history cannot be changed afterwards."""

import decimal
import enum
import functools
import math
from collections import OrderedDict, defaultdict, namedtuple

import pytest

from solution.engine import ActivityError, DurableEngine, SimulatedClock, UnrecordableError, WorkflowState


class Text(str):
    pass


class Number(int):
    pass


class Real(float):
    pass


class Colour(enum.StrEnum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


Point = namedtuple("Point", "x y")


def typed(value):
    """A value with all its types and the order of its keys, so that 1, 1.0 and True differ."""
    if isinstance(value, dict):
        return [type(value), [(typed(key), typed(item)) for key, item in value.items()]]
    if isinstance(value, list | tuple):
        return [type(value), [typed(item) for item in value]]
    return [type(value), repr(value)]


FAITHFUL = {
    "None": (None, None),
    "True": (True, True),
    "zero": (0, 0),
    "minus zero": (-0.0, -0.0),
    "2**63": (2**63, 2**63),
    "2**70": (2**70, 2**70),
    "-2**70": (-(2**70), -(2**70)),
    "4000 digits": (10**3999, 10**3999),
    "a float": (0.1, 0.1),
    "a tiny float": (5e-324, 5e-324),
    "the largest float": (1.7976931348623157e308, 1.7976931348623157e308),
    "a float that is whole": (1.0, 1.0),
    "an empty text": ("", ""),
    "NUL": ("a\x00b", "a\x00b"),
    "a lone surrogate": ("\ud800", "\ud800"),
    "a lone surrogate in a key": ({"\udfff": 1}, {"\udfff": 1}),
    "two surrogates that make a character": ("\ud83c\udf88", "🎈"),
    "outside the BMP": ("🎈", "🎈"),
    "line separators": ("\u2028\u2029\x85\r\n", "\u2028\u2029\x85\r\n"),
    "a long text": ("x" * 5000, "x" * 5000),
    "a tuple": ((1, 2), [1, 2]),
    "a tuple in a dict in a list": ([{"k": (1, ())}], [{"k": [1, []]}]),
    "a named tuple": (Point(1, 2), [1, 2]),
    "a str subclass": (Text("t"), "t"),
    "a str subclass as key": ({Text("t"): 1}, {"t": 1}),
    "an int subclass": (Number(5), 5),
    "a float subclass": (Real(0.5), 0.5),
    "a str enum": (Colour.RED, "red"),
    "a str enum as key": ({Colour.RED: 1}, {"red": 1}),
    "an int enum": (Level.HIGH, 3),
    "an ordered dict": (OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
    "a default dict": (defaultdict(list, k=[1]), {"k": [1]}),
    "keys in their order": ({"b": 1, "a": 2, "c": {"z": 1, "y": 2}}, {"b": 1, "a": 2, "c": {"z": 1, "y": 2}}),
    "an empty key": ({"": 0}, {"": 0}),
    "fifty levels": (functools.reduce(lambda inner, _: [inner], range(50), 1),) * 2,
    "nearly a million characters": ("x" * 999_990, "x" * 999_990),
}


@pytest.mark.parametrize("kind", FAITHFUL)
def test_a_result_is_the_same_live_and_replayed_types_included(pair, kind):
    value, wanted = FAITHFUL[kind]
    got = []

    def fetch():
        return value

    def workflow(ctx, order):
        got.append(ctx.call_activity(fetch))

    pair(workflow)
    assert [typed(value) for value in got] == [typed(wanted)] * 2


@pytest.mark.parametrize("kind", FAITHFUL)
def test_an_argument_reaches_the_activity_as_its_record_has_it(bench, kind):
    value, wanted = FAITHFUL[kind]
    got = []

    def take(*args):
        got.extend(args)

    result = bench.run(lambda ctx, order: ctx.call_activity(take, value))
    assert typed(got) == typed([wanted])
    again = bench.run(lambda ctx, order: ctx.call_activity(take, wanted), result.state)
    assert (again.status, len(got)) == ("completed", 1)


@pytest.mark.parametrize("kind", FAITHFUL)
def test_a_payload_is_the_same_live_and_replayed_types_included(pair, bench, kind):
    value, wanted = FAITHFUL[kind]
    got = []

    def workflow(ctx, order):
        got.append(ctx.wait_signal("go"))

    pair(workflow, bench.signal(bench.state(), "go", value))
    assert [typed(value) for value in got] == [typed(wanted)] * 2


def test_the_input_is_the_same_for_a_run_and_for_its_replay(pair, bench):
    got = []

    def workflow(ctx, order):
        got.append(typed(order))
        order["items"].append("changed")

    given = {"items": ["pen"], "n": 2**70, "half": 0.5}
    pair(workflow, bench.state(given=given))
    assert got == [typed({"items": ["pen"], "n": 2**70, "half": 0.5})] * 2
    assert given["items"] == ["pen"]


async def coroutine():
    pass


def loop():
    knot = []
    knot.append(knot)
    return knot


def knotted_dict():
    knot = {}
    knot["me"] = [knot]
    return knot


UNFIT = {
    "NaN": lambda: math.nan,
    "infinity": lambda: math.inf,
    "minus infinity": lambda: -math.inf,
    "bytes": lambda: b"x",
    "a bytearray": lambda: bytearray(b"x"),
    "a set": lambda: {1},
    "a frozenset": lambda: frozenset("a"),
    "a generator": lambda: (n for n in [1]),
    "an iterator": lambda: iter([1]),
    "a range": lambda: range(3),
    "a decimal": lambda: decimal.Decimal(1),
    "a complex number": lambda: 1j,
    "an object": object,
    "a class": lambda: int,
    "a function": lambda: len,
    "an exception": lambda: ValueError("x"),
    "a plain enum": lambda: enum.Enum("Plain", "A").A,
    "a number as key": lambda: {1: "x"},
    "None as key": lambda: {None: "x"},
    "True as key": lambda: {True: "x"},
    "a float as key": lambda: {1.5: "x"},
    "a tuple as key": lambda: {(1, 2): "x"},
    "a view of keys": lambda: {"a": 1}.keys(),
    "5000 digits": lambda: 10**5000,
    "a list in itself": loop,
    "a dict in itself": knotted_dict,
    "a hundred thousand levels": lambda: functools.reduce(lambda inner, _: [inner], range(100_000), 1),
    "three million characters": lambda: "x" * 3_000_000,
    "three million characters in pieces": lambda: ["x" * 1000] * 3000,
    "NaN of a float subclass": lambda: Real("nan"),
}


@pytest.mark.parametrize("kind", UNFIT)
def test_a_result_that_json_cannot_represent_is_a_final_failure_and_is_not_retried(pair, bench, kind):
    calls, errors = [], []

    def fetch():
        calls.append(1)
        return UNFIT[kind]()

    def workflow(ctx, order):
        try:
            ctx.call_activity(fetch)
        except ActivityError as error:
            errors.append([error.error_type, error.message, error.attempts])
            return "caught"

    live, replayed = pair(workflow)
    assert (live.value, replayed.value, len(calls)) == ("caught", "caught", 1)
    assert errors[0] == errors[1]
    assert (errors[0][0], errors[0][2]) == ("UnrecordableError", 1)
    assert errors[0][1].startswith("fetch: result")
    assert len(errors[0][1]) < 300


@pytest.mark.parametrize("kind", UNFIT)
def test_an_argument_that_json_cannot_represent_is_refused_before_the_activity_runs(bench, kind):
    take = bench.activity("take")
    with pytest.raises(UnrecordableError, match=r"^take: args\[1\]"):
        bench.run(lambda ctx, order: ctx.call_activity(take, "fine", UNFIT[kind]()))
    assert (bench.calls, bench.journal) == ([], [])


@pytest.mark.parametrize("kind", UNFIT)
def test_a_payload_that_json_cannot_represent_is_refused(bench, kind):
    state = bench.state()
    with pytest.raises(UnrecordableError, match=r"^signal approval: payload"):
        bench.engine().signal(state, "approval", UNFIT[kind]())
    assert (state.signals, bench.journal) == ([], [])


def test_a_coroutine_is_refused_with_a_message_that_says_so(bench):
    made = coroutine()
    act = bench.activity("act", made)
    result = bench.run(lambda ctx, order: ctx.call_activity(act))
    made.close()  # it was never awaited
    assert result.status == "failed"
    assert "UnrecordableError: act: result is <coroutine object" in result.error
    assert len(result.state.commands[0].tries) == 1


def test_an_unrecordable_value_is_its_own_error_and_not_a_divergence(bench):
    act = bench.activity("act", {1, 2})
    result = bench.run(lambda ctx, order: ctx.call_activity(act))
    assert "NonDeterminism" not in result.error
    assert "act: result is {1, 2} of type set" in result.error


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"order": {"lines": [1, {2}]}}, "act: result['order']['lines'][1] is {2} of type set"),
        ([[], [{"a": {7: 1}}]], "act: result[1][0]['a'] has the key 7"),
        (("x", (b"y",)), "act: result[1][0] is b'y' of type bytes"),
        ({"rate": math.nan}, "act: result['rate'] is nan of type float"),
    ],
)
def test_the_message_names_the_activity_and_the_place_in_the_value(bench, value, place):
    act = bench.activity("act", value)
    assert place in bench.run(lambda ctx, order: ctx.call_activity(act)).error


def test_the_message_on_a_too_large_value_says_what_to_do_instead(bench):
    act = bench.activity("act", "x" * 1_000_001)
    error = bench.run(lambda ctx, order: ctx.call_activity(act)).error
    assert "store it elsewhere" in error


def test_a_workflow_may_catch_a_refused_argument_and_go_on_alike_on_replay(pair, bench):
    act = bench.activity("act")

    def workflow(ctx, order):
        try:
            ctx.call_activity(act, {1, 2})
        except TypeError:
            return ctx.call_activity(act, [1, 2])

    live, replayed = pair(workflow)
    assert live.value == replayed.value == "act"
    assert bench.calls == ["act([1, 2])"]


def test_a_state_whose_input_json_cannot_represent_is_not_written():
    with pytest.raises(UnrecordableError, match=r"input\['x'\] is \{1\} of type set"):
        WorkflowState("w", {"x": {1}}).to_json()


# ---------------------------------------------------------------- history cannot be changed afterwards


def test_a_result_that_is_changed_later_stays_in_history_as_it_was(pair, bench):
    shelf = [["a"]]

    def fetch():
        return shelf

    got = []

    def workflow(ctx, order):
        value = ctx.call_activity(fetch)
        got.append([list(inner) for inner in value])
        value[0].append("by the workflow")
        shelf[0].append("by the activity")
        value.append("more")

    live, replayed = pair(workflow)
    assert got == [[["a"]], [["a"]]]
    assert live.state.commands[0].value == replayed.state.commands[0].value == [["a"]]


def test_an_argument_that_is_changed_later_stays_in_history_as_it_was(pair):
    def spoil(basket):
        basket["items"].append("by the activity")

    def workflow(ctx, order):
        basket = {"items": ["pen"]}
        ctx.call_activity(spoil, basket)
        assert basket == {"items": ["pen"]}
        basket["items"].append("by the workflow")
        ctx.call_activity(spoil, basket)

    live, replayed = pair(workflow)
    assert (live.status, replayed.status) == ("completed", "completed")
    wanted = [[{"items": ["pen"]}], [{"items": ["pen", "by the workflow"]}]]
    assert [c.args for c in replayed.state.commands] == wanted


def test_each_attempt_gets_its_arguments_as_they_were_passed(bench):
    seen = []

    def spoil(basket):
        seen.append(list(basket))
        basket.append("spoilt")
        if len(seen) < 3:
            raise OSError("again")

    bench.run(lambda ctx, order: ctx.call_activity(spoil, ["pen"]))
    assert seen == [["pen"]] * 3


def test_a_payload_that_is_changed_later_stays_as_it_was(pair, bench):
    mine = {"by": ["Ana"]}
    state = bench.signal(bench.state(), "go", mine)
    mine["by"].append("Mallory")
    got = []

    def workflow(ctx, order):
        payload = ctx.wait_signal("go")
        got.append(list(payload["by"]))
        payload["by"].append("changed")

    live, _ = pair(workflow, state)
    assert got == [["Ana"], ["Ana"]]
    assert live.state.signals[0].payload == live.state.commands[0].value == {"by": ["Ana"]}


def test_records_in_the_journal_are_not_changed_by_the_workflow(bench):
    act = bench.activity("act", [1])
    bench.run(lambda ctx, order: ctx.call_activity(act).append(2))
    assert bench.journal[0].value == [1]


def test_a_simulated_clock_starts_at_its_argument_and_moves_only_when_code_sleeps():
    clock = SimulatedClock(5.0)
    assert (SimulatedClock().now(), clock.now(), clock.now()) == (0.0, 5.0, 5.0)
    clock.sleep(2.5)
    assert clock.now() == 7.5


def test_an_engine_needs_no_clock_no_policy_and_no_journal():
    result = DurableEngine().run(lambda ctx, order: ctx.call_activity(len, "abc"), WorkflowState("w"))
    assert result.value == 3
