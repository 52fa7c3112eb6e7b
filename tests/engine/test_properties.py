"""Random workflows, crashed at every point: the result is that of the run that never crashed."""

import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from solution.engine import (
    ActivityError,
    Attempt,
    Command,
    DurableEngine,
    RetryPolicy,
    Signal,
    SimulatedClock,
    WorkflowState,
)

FIXED = settings(
    derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow], max_examples=60
)


class Crash(BaseException):
    """The process dies here."""


# ---------------------------------------------------------------- random workflows, as small programs

NAMES = st.sampled_from(["a", "b", "c"])
STEP = st.one_of(
    st.tuples(
        st.just("act"),
        NAMES,
        st.integers(0, 3),
        st.integers(0, 3),
        st.integers(1, 3),
        st.sampled_from(["raise", "catch"]),
    ),
    st.tuples(st.just("now")),
    st.tuples(st.just("wait"), st.sampled_from(["go", "stop"])),
    st.tuples(st.just("give up")),
)
STEPS = st.lists(STEP, max_size=4)
PROGRAM = st.lists(
    st.one_of(STEP, st.tuples(st.just("if"), STEPS, STEPS), st.tuples(st.just("all"), STEPS)), max_size=5
)


class World:
    """Everything outside the workflow: what is durable, what has had an effect, and where the process dies."""

    def __init__(self, early, dies_at=None):
        self.commands, self.signals = [], [Signal(name, i) for i, name in enumerate(early)]
        self.effects = set()
        self.points, self.dies_at = 0, dies_at

    def point(self):
        """A place where the process may die."""
        self.points += 1
        if self.points - 1 == self.dies_at:
            raise Crash

    def journal(self, record):
        self.point()
        (self.signals if isinstance(record, Signal) else self.commands).append(record)
        self.point()

    def process(self):
        """A new process: an engine, and the state that it finds."""
        self.attempts = {}
        text = WorkflowState("w", {"n": 1}, self.commands, self.signals).to_json()
        clock = SimulatedClock(self.commands[-1].ended_at if self.commands else 0.0)
        return DurableEngine(clock, RetryPolicy(), self.journal), WorkflowState.from_json(text)

    def activity(self, name, failures):
        """Fails so many times in each process, then succeeds; every attempt has its effect."""

        def act(arg, *, idempotency_key):
            assert idempotency_key == f"w/{len(self.commands)}", "a recorded command runs again"
            self.point()
            self.effects.add((idempotency_key, name, arg))
            self.point()
            self.attempts[idempotency_key] = self.attempts.get(idempotency_key, 0) + 1
            if self.attempts[idempotency_key] <= failures:
                raise OSError(f"attempt {self.attempts[idempotency_key]}: busy")
            return {"name": name, "arg": arg, "odd": arg % 2 == 1}

        act.__name__ = name
        return act

    def workflow(self, program):
        def body(ctx, order):
            seen = [order]
            self.steps(ctx, program, seen)
            return seen

        return body

    def steps(self, ctx, program, seen):
        for kind, *rest in program:
            if kind == "act":
                name, arg, failures, attempts, how = rest
                try:
                    act, policy = self.activity(name, failures), RetryPolicy(max_attempts=attempts)
                    seen.append(ctx.call_activity(act, arg, retry=policy))
                except ActivityError as error:
                    seen.append([error.error_type, error.message, error.attempts])
                    if how == "raise":
                        raise
            elif kind == "now":
                seen.append(ctx.now())
            elif kind == "wait":
                seen.append(ctx.wait_signal(rest[0]))
            elif kind == "if":
                self.steps(ctx, rest[len(json.dumps(seen[-1])) % 2], seen)
            elif kind == "all":  # the worst of workflow code: it swallows whatever comes
                try:
                    self.steps(ctx, rest[0], seen)
                except:
                    seen.append("swallowed")
            else:
                raise RuntimeError("given up")

    def live(self, program):
        """Run, deliver what the run waits for, and continue; after a crash restart from what is durable."""
        for _ in range(100):
            try:
                engine, state = self.process()
                result = engine.run(self.workflow(program), state)
                if result.status != "blocked":
                    return result
                engine.signal(result.state, result.waiting_for, len(self.signals))
            except Crash:
                continue
        raise AssertionError("the run does not come to an end")


@FIXED
@given(PROGRAM, st.lists(st.sampled_from(["go", "stop"]), max_size=2))
@example([("act", "a", 1, 2, 3, "raise"), ("wait", "go"), ("act", "b", 0, 3, 2, "catch"), ("now",)], [])
@example([("all", [("act", "a", 1, 2, 3, "raise"), ("wait", "go")]), ("now",), ("act", "b", 0, 1, 1, "raise")], ["go"])
def test_a_run_that_crashes_anywhere_ends_as_the_run_that_never_crashed(program, early):
    whole = World(early)
    wanted = whole.live(program)
    for point in range(whole.points):
        world = World(early, point)
        result = world.live(program)
        assert world.points > point, "it did not crash"
        assert (result.status, result.value, result.error) == (wanted.status, wanted.value, wanted.error)
        assert result.state == wanted.state
        assert (world.commands, world.signals) == (whole.commands, whole.signals)
        assert world.effects == whole.effects


@FIXED
@given(PROGRAM, st.lists(st.sampled_from(["go", "stop"]), max_size=2))
def test_a_replay_of_any_prefix_of_history_runs_only_what_is_not_in_it(program, early):
    whole = World(early)
    wanted = whole.live(program)
    for length in range(len(whole.commands) + 1):
        world = World([])
        world.signals, world.commands = list(whole.signals), whole.commands[:length]
        engine, state = world.process()
        result = engine.run(world.workflow(program), state)
        assert (result.status, result.value, result.error) == (wanted.status, wanted.value, wanted.error)
        assert world.commands == result.state.commands == whole.commands
        assert world.effects == {effect for effect in whole.effects if int(effect[0].removeprefix("w/")) >= length}


@FIXED
@given(PROGRAM, st.data())
def test_one_changed_record_is_a_divergence_at_its_position_and_nothing_runs(program, data):
    whole = World([])
    whole.live(program)
    for position, command in enumerate(whole.commands):
        change = data.draw(st.sampled_from(["name", "kind", "args"]))
        value = {"name": command.name + "2", "kind": "timer", "args": [*command.args, "more"]}[change]
        world = World([])
        world.signals, world.commands = list(whole.signals), list(whole.commands)
        world.commands[position] = replace(command, **{change: value})
        engine, state = world.process()
        result = engine.run(world.workflow(program), state)
        assert result.status == "failed"
        assert result.error.startswith(f"NonDeterminismError: at position {position} ")
        assert (result.state.commands, world.effects) == (world.commands, set())


@FIXED
@given(PROGRAM)
def test_one_record_too_many_is_a_divergence_at_its_position(program):
    whole = World([])
    whole.live(program)
    world = World([])
    world.signals, world.commands = list(whole.signals), [*whole.commands, Command("timer", "more")]
    engine, state = world.process()
    result = engine.run(world.workflow(program), state)
    assert result.status == "failed"
    assert result.error.startswith(f"NonDeterminismError: at position {len(whole.commands)} ")
    assert world.effects == set()


# ---------------------------------------------------------------- signals

EVENTS = st.lists(st.one_of(st.just("run"), st.sampled_from(["a", "b", "c"])), max_size=12)


@FIXED
@given(st.lists(st.sampled_from(["a", "b"]), max_size=8), EVENTS, st.booleans())
def test_however_deliveries_and_runs_interleave_each_name_is_first_in_first_out(waits, events, restarts):
    engine, state = DurableEngine(SimulatedClock()), WorkflowState("w")
    delivered = {"a": [], "b": [], "c": []}

    def workflow(ctx, order):
        return [ctx.wait_signal(name) for name in waits]

    def check(result):
        left = {name: list(payloads) for name, payloads in delivered.items()}
        wanted = []
        for name in waits:
            if not left[name]:
                assert (result.status, result.waiting_for) == ("blocked", name)
                break
            wanted.append(left[name].pop(0))
        else:
            assert (result.status, result.value) == ("completed", wanted)
        assert [command.value for command in result.state.commands] == wanted

    for i, event in enumerate([*events, "run", *waits, "run"]):
        if event == "run":
            result = engine.run(workflow, state)
            check(result)
            state = result.state
        else:
            payload = [None, False, i][i % 3]
            delivered[event].append(payload)
            state = engine.signal(state, event, payload)
        if restarts:
            engine, state = DurableEngine(SimulatedClock()), WorkflowState.from_json(state.to_json())
    assert result.status == "completed"


# ---------------------------------------------------------------- to_json and from_json

TEXT = st.text(st.one_of(st.characters(codec="utf-8"), st.just("\ud800")), max_size=8)  # with NUL and lone surrogates
NUMBER = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.just(2**70), NUMBER, TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXT, inner, max_size=3)),
    max_leaves=8,
)
PERHAPS = st.one_of(st.none(), TEXT)
ATTEMPT = st.builds(Attempt, NUMBER, NUMBER, PERHAPS)
TRIES = st.lists(ATTEMPT, max_size=2).map(tuple)
OUTCOME = st.one_of(st.tuples(st.just(True), JSON, st.none()), st.tuples(st.just(False), st.none(), TEXT))
COMMAND = st.builds(
    lambda kind, name, args, outcome, *rest: Command(kind, name, args, *outcome, *rest),
    *(TEXT, TEXT, st.lists(JSON, max_size=2), OUTCOME, TRIES, NUMBER, NUMBER),
)
STATE = st.builds(
    WorkflowState,
    TEXT,
    JSON,
    st.lists(COMMAND, max_size=2),
    st.lists(st.builds(Signal, TEXT, JSON, NUMBER), max_size=2),
)


@FIXED
@given(STATE)
def test_a_state_that_is_written_and_read_is_the_same(state):
    text = state.to_json()
    again = WorkflowState.from_json(text)
    assert again == state
    assert again.to_json() == text


def read_or_refused(text):
    """from_json gives a state that can be written and read again, or a ValueError; nothing else."""
    try:
        state = WorkflowState.from_json(text)
    except ValueError:
        return
    assert WorkflowState.from_json(state.to_json()) == state


@FIXED
@given(st.one_of(st.text(), st.binary()))
def test_any_string_is_read_or_refused_with_a_value_error(text):
    read_or_refused(text)


@FIXED
@given(JSON)
def test_any_json_is_read_or_refused_with_a_value_error(data):
    read_or_refused(json.dumps(data))


def places(data):
    """Every (container, key) in JSON data."""
    for key, item in list(data.items() if isinstance(data, dict) else enumerate(data)):
        yield data, key
        if isinstance(item, dict | list):
            yield from places(item)


@settings(FIXED, max_examples=200)
@given(STATE, st.data())
def test_a_mutated_state_is_read_or_refused_with_a_value_error(state, data):
    tree = json.loads(state.to_json())
    for _ in range(data.draw(st.integers(1, 2))):
        container, key = data.draw(st.sampled_from(list(places(tree))))
        change = data.draw(st.sampled_from(["replace", "remove", "rename", "wrap"]))
        if change == "replace":
            container[key] = data.draw(st.one_of(JSON, st.just(float("nan")), st.just(float("inf"))))
        elif change == "wrap":
            container[key] = [container[key]]
        elif change == "rename" and isinstance(container, dict):
            container[data.draw(TEXT)] = container.pop(key)
        else:
            del container[key]
        if not tree:
            break
    read_or_refused(json.dumps(tree))


@FIXED
@given(STATE, st.data())
def test_damaged_json_is_read_or_refused_with_a_value_error(state, data):
    text = state.to_json()
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, min(len(text), start + 4)))
    read_or_refused(text[:start] + data.draw(st.text('{}[]",:0123456789eE-.ntfaI\\u', max_size=3)) + text[stop:])


@pytest.mark.parametrize("size", [0, 1, 500])
def test_a_long_history_is_written_and_read_as_it_was(size):
    engine, state = DurableEngine(SimulatedClock()), WorkflowState("w", size)
    result = engine.run(lambda ctx, n: [ctx.call_activity(abs, -i) for i in range(n)], state)
    assert result.value == list(range(size))
    assert WorkflowState.from_json(result.state.to_json()) == result.state
