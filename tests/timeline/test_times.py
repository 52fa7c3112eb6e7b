"""Times for people: never seconds since 1970, and "no time" if a record has none."""

import dataclasses
import itertools
import json

import pytest

from durable_lab.timeline import history_of, table
from durable_lab.timeline.figure import figure_of
from durable_lab.timeline.words import date, duration, ticks
from solution import engine as m

WALL = 1_796_070_741.25


class Ticking:
    """Every look at the clock takes 0.25 s."""

    def __init__(self, start):
        self.time = start

    def now(self):
        self.time += 0.25
        return self.time

    def sleep(self, seconds):
        self.time += seconds


def flow(ctx, _):
    ctx.call_activity(len, "abc")
    ctx.now()
    ctx.wait_signal("go")
    ctx.call_activity(len, "abcd")


def run(start, flow=flow, signals=("go",)):
    engine = m.DurableEngine(clock=Ticking(start))
    state = m.WorkflowState("w")
    for name in signals:
        state = engine.signal(state, name)
    return engine.run(flow, state).state


def without_times(state, *kinds):
    """The state as an engine leaves it that records no times for these kinds of commands."""
    bare = [
        dataclasses.replace(c, started_at=0.0, ended_at=0.0, tries=()) if c.kind in kinds else c for c in state.commands
    ]
    return dataclasses.replace(state, commands=bare)


def words(figure):
    return " | ".join(text.get_text() for text in figure.axes[0].texts)


@pytest.mark.parametrize(
    ("length", "said"),
    [
        (0, "0 s"),
        (0.3, "0.3 s"),
        (1.25, "1.25 s"),
        (59.97, "1 min"),
        (185, "3 min 5 s"),
        (11_100, "3 h 5 min"),
        (172_800, "2 days"),
        (172_805, "2 days"),
        (90_000, "1 day 1 h"),
        (0.00001, "under 1 ms"),
    ],
)
def test_a_duration_reads_as_people_say_it(length, said):
    assert duration(length) == said


def test_a_date_has_day_and_time_of_day():
    assert date(WALL) == "2026-11-30 20:32:21 UTC"


@pytest.mark.parametrize("length", [0.004, 0.7, 1.9, 30, 1000, 200_000, 4e8])
def test_an_axis_has_a_few_round_ticks_whatever_its_length(length):
    made = ticks(length)
    assert 2 <= len(made) <= 8
    assert made[-1] <= length * 1.001


@pytest.mark.parametrize("start", [0.0, 1000.0, WALL])
@pytest.mark.parametrize("kinds", [("activity",), ("now",), ("signal",), ("activity", "now"), ("now", "signal")])
def test_a_command_without_times_has_no_time_and_the_others_keep_theirs(start, kinds):
    """The other times decide whether 0.0 is the start of a simulated clock or no time."""
    history = history_of(without_times(run(start), *kinds))
    told = {e.index: e.at for e in history.events if e.record is not None}
    missing = {e.index for e in history.events if e.record is not None and getattr(e.data, "kind", "") in kinds}
    assert {index for index, at in told.items() if at == "no time"} == missing
    assert all(at == "no time" or float(at[1:-2]) < 10 for at in told.values())
    assert f"{len(missing)} of {len(told)} records have no time." in history.sentence


def test_the_start_of_a_simulated_clock_is_a_time():
    engine = m.DurableEngine(clock=m.SimulatedClock(), retry=m.RetryPolicy(max_attempts=2))

    def fail():
        raise ValueError("no")

    def failing(ctx, _):
        ctx.now()
        ctx.call_activity(fail)

    history = history_of(engine.run(failing, engine.signal(m.WorkflowState("w"), "early")))
    assert [e.at for e in history.events if e.record is not None] == ["+0 s", "+0 s", "+0 s", "+0 s", "+1 s"]
    assert history.times == ""


def test_an_engine_that_forgets_when_a_signal_came_makes_no_gap_of_a_quarter_of_an_hour():
    state = run(1000.0)
    state = dataclasses.replace(state, signals=[dataclasses.replace(s, received_at=0.0) for s in state.signals])
    text = table(state)
    assert "no time" in text
    assert "16 min" not in text


@pytest.mark.parametrize("start", [0.0, 1000.0, WALL])
def test_nothing_that_is_shown_counts_seconds_since_1970(start):
    state = run(start)
    for one in (state, without_times(state, "activity"), without_times(state, "now", "signal")):
        history = history_of(one)
        shown = [table(one), history.title, history.sentence, *(e.what + e.outcome + e.at for e in history.events)]
        shown += [words(figure_of(history, clock=clock)) for clock in (False, True)]
        for text in shown:
            assert "179607" not in text
            assert "1970-" not in text
            assert "days" not in text


def test_a_clock_of_the_machine_reads_as_date_and_time_and_a_simulated_one_as_time_since_the_start():
    assert "began 2026-11-30 20:32:21 UTC" in table(run(WALL))
    assert "2026-11-30 20:32:22 UTC" in next(e.outcome for e in history_of(run(WALL)).events if e.kind == "now")
    for start in (0.0, 1000.0):
        assert "UTC" not in table(run(start))
        assert "+0.25 s" in table(run(start)) or "+0.5 s" in table(run(start))


def test_where_a_time_is_missing_x_is_order_and_says_so():
    history = history_of(without_times(run(WALL), "activity"))
    said = words(figure_of(history, clock=True))
    assert "2 of 5 records have no time. So x is order, not time." in said
    assert "| 0 s |" not in said  # no ticks
    assert "| 0 s |" in words(figure_of(history_of(run(WALL)), clock=True))


def test_without_any_time_nothing_is_said_of_times():
    state = without_times(run(5.0, flow=lambda ctx, _: ctx.call_activity(len, ""), signals=()), "activity")
    assert {event.at for event in history_of(state).events} == {""}
    assert "So x is order" in words(figure_of(history_of(state), clock=True))


def test_a_clock_that_goes_back_is_reported():
    first = run(1000.0, signals=())
    later = m.DurableEngine(clock=Ticking(5.0))
    state = later.run(flow, later.signal(first, "go")).state
    history = history_of(state)
    assert "The clock goes back 16 min" in history.sentence
    assert "So x is order, not time." in words(figure_of(history, clock=True))
    assert not any("-" in event.at for event in history.events)


def test_times_of_two_clocks_are_not_mixed():
    state = run(WALL, signals=())
    engine = m.DurableEngine(clock=Ticking(0.0))
    history = history_of(engine.run(flow, engine.signal(state, "go")).state)
    assert "records have no time" in history.sentence
    assert not any("days" in event.at for event in history.events)


@pytest.mark.parametrize("odd", [None, "soon", True, float("nan"), float("inf"), 10**400, -1e300, 1_796_070_741_250.0])
def test_what_is_not_a_time_is_no_time(odd):
    commands = [m.Command("now", "now", [], True, 5.0, None, (), at, at) for at in (1000.0, odd, 1003.0)]
    history = history_of(m.WorkflowState("w", None, commands))
    assert [event.at for event in history.events] == ["+0 s", "no time", "+3 s"]


def test_a_wait_of_two_days_reads_so():
    commands = [m.Command("now", "now", started_at=WALL, ended_at=WALL)]
    commands += [m.Command("signal", "go", started_at=WALL + 172_800, ended_at=WALL + 172_800)]
    assert "+2 days" in table(m.WorkflowState("w", None, commands))


def test_the_order_of_a_history_does_not_change_because_some_times_are_missing():
    kinds = ("activity", "now", "signal")
    for count in range(3):
        for missing in itertools.combinations(kinds, count):
            told = [e.kind for e in history_of(without_times(run(WALL), *missing)).events]
            assert told.index("delivered") < told.index("consumed")


def test_a_command_without_times_takes_them_from_its_attempts():
    tries = (m.Attempt(1000.0, 1001.0, "E: no"), m.Attempt(1002.0, 1003.0))
    state = m.WorkflowState("w", None, [m.Command("activity", "pay", [], True, 1, None, tries)])
    assert [e.at for e in history_of(state).events] == ["+1 s", "+1 s", "+3 s"]
    assert json.dumps(history_of(state).to_dict())
