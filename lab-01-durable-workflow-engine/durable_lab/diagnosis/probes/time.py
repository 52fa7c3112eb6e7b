"""TODO 2: the time."""

import time

from durable_lab.checks.bench import Crash
from durable_lab.diagnosis.probe_bench import command_names, compare_count
from durable_lab.diagnosis.probes.probe import probe


def watch(b, pause):
    """Return a workflow that reads the clock before and after a step that takes `pause` seconds."""
    step = b.activity("wait_for_the_bank", answer=lambda: b.clock.sleep(pause) or "done")

    def workflow(ctx, order):
        before = ctx.now()
        ctx.call_activity(step)
        return [before, ctx.now()]

    return workflow


@probe(2)
def two_looks_at_the_clock(b):
    """The bank takes an hour. The workflow reads the clock before and after; it starts at 1000 seconds."""
    end = b.try_run(watch(b, 3600))
    yield "ends", end.status
    times = end.value if isinstance(end.value, list) else [None, None]
    yield "first", times[0] == 1000
    yield "no time between", times[0] == times[1]
    yield "an hour between", times[1] is not None and times[1] - times[0] == 3600
    yield "kinds of number", [type(one).__name__ for one in times]
    yield "records", command_names(end.state)
    yield "journal", compare_count(len(b.journal), 3)


@probe(2)
def the_next_day(b):
    """The order is completed. Support opens it a day later."""
    workflow = watch(b, 3600)
    first = b.try_run(workflow)
    b.pass_time(86_400)
    before = len(command_names(first.state))
    again = b.try_run(workflow, b.next_process(first.state))
    yield "ends", again.status
    yield "same times", again.value == first.value
    yield "is the next day's", again.value == [1000 + 3600 + 86_400] * 2
    yield "records", len(command_names(again.state)) - before


@probe(2)
def half_a_second(b):
    """The bank takes half a second."""
    end = b.try_run(watch(b, 0.5))
    times = end.value if isinstance(end.value, list) else [0.0, 0.0]
    yield "half a second between", times[1] - times[0] == 0.5
    yield "between", times[1] - times[0] if times[0] == 1000 else None


@probe(2)
def midnight(b):
    """The order begins at second 0 of the clock. Support opens it a day later."""
    b.clock = b.m.SimulatedClock(0.0)
    workflow = watch(b, 3600)
    first = b.try_run(workflow)
    b.pass_time(86_400)
    before = len(command_names(first.state))
    again = b.try_run(workflow, b.next_process(first.state))
    yield "both looks", first.value == [0.0, 3600.0]
    yield "ends", again.status
    yield "same times", again.value == first.value
    yield "records", len(command_names(again.state)) - before


@probe(2)
def a_power_cut_behind_a_time(b):
    """The workflow reads the clock. The power fails during the next call; an hour later a new process continues."""
    pay = b.activity("pay", Crash("power cut"), "receipt")

    def refund(ctx, order):
        return [ctx.now(), ctx.call_activity(pay, 30)]

    first = b.try_run(refund)
    yield "in the journal", command_names(first.state)
    b.pass_time(3600)
    second = b.try_run(refund, first.state)
    yield "ends", second.status
    yield "time", second.value[0] == 1000 if isinstance(second.value, list) else None


@probe(2)
def what_the_record_holds(b):
    """The workflow reads the clock once; it shows 1000 seconds."""
    end = b.try_run(lambda ctx, order: ctx.now())
    values = [command.value for command in end.state.commands]
    yield "kinds", [command.kind for command in end.state.commands]
    yield "recorded", values in ([1000.0], [])
    yield "returned", end.value == 1000
    real = (time.time(), time.monotonic())
    yield "is the machine's", isinstance(end.value, float) and any(abs(end.value - one) < 172_800 for one in real)


@probe(2)
def a_clock_that_moves_at_each_reading(b):
    """Each reading of the clock takes a second. Later the run is replayed."""

    class Moving(b.m.SimulatedClock):  # type: ignore[name-defined]
        def now(self):
            self.sleep(1.0)
            return super().now()

    first = b.try_run(lambda ctx, order: ctx.now(), clock=Moving(1000.0))
    again = b.try_run(lambda ctx, order: ctx.now(), b.next_process(first.state))
    yield "same time", first.value == again.value


@probe(2)
def a_small_part_of_a_second(b):
    """The clock shows 1000.7012345 seconds. The run is replayed."""
    b.clock = b.m.SimulatedClock(1000.7012345)
    first = b.try_run(lambda ctx, order: ctx.now())
    again = b.try_run(lambda ctx, order: ctx.now(), b.next_process(first.state))
    yield "first", _precision(first.value)
    yield "replay", _precision(again.value)


def _precision(seconds):
    if seconds == 1000.7012345:
        return "exact"
    if seconds in (1000, 1001):
        return "whole seconds"
    return "rounded" if isinstance(seconds, float) and abs(seconds - 1000.7012345) < 0.5 else "another time"
