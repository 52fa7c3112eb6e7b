"""Signals: to wait for days, and hold nothing."""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import Any

import pytest

from durable_lab.checks.bench import Bench, Crash, as_json
from grader.checker.hidden.difference import differs
from grader.checker.hidden.observed import as_text, names, what_came_out
from grader.checker.hidden.values import Values


@pytest.mark.todo(3, 4, needs=(1,))
def test_a_missing_signal_suspends_and_holds_nothing(bench: Bench, seed: Random) -> None:
    """R8, R9"""
    values = Values(seed)
    run_id, awaited, other = values.run_id(), values.signal(), values.signal()
    steps = values.steps(seed.randint(1, 3))
    undo, behind = bench.activity(values.step()), bench.activity(values.step())
    acts = [bench.activity(name) for name in steps]
    bench.clock = bench.m.SimulatedClock(begun := values.moment())

    def careful(ctx: Any, order: Any) -> Any:
        for act in acts:
            ctx.call_activity(act)
        try:
            answer = ctx.wait_signal(awaited)
        except Exception:
            answer = ctx.call_activity(undo)
        return [ctx.call_activity(behind), answer]

    blocked = bench.run(careful, bench.state(run_id, values.value()))
    calls = [as_text(name, []) for name in steps]
    _expect_blocked(bench, blocked, awaited, calls)
    bench.expect("R8", "a wait that is not over is not recorded", steps, names(blocked.state))
    bench.expect("R9", "waiting takes no time on the clock: nothing is held", begun, bench.clock.now())
    history = as_json(blocked.state)
    differs(bench, "a new process")
    for new_process in (False, True):
        again = bench.run(careful, bench.restart(blocked.state) if new_process else blocked.state)
        _expect_blocked(bench, again, awaited, calls)
        bench.expect("R2", "looking again changes nothing", history, as_json(again.state))

    differs(bench, "two waits, one of which has its signal")

    def two_doors(ctx: Any, order: Any) -> Any:
        return [ctx.wait_signal(awaited), ctx.wait_signal(other)]

    payload = values.value()
    early = [bench.m.Signal(awaited, payload, begun)]
    half = bench.run(two_doors, bench.m.WorkflowState(values.run_id(), None, [], early))
    _expect_blocked(bench, half, other, calls)
    taken = [[c.kind, c.name, c.ok, c.value] for c in half.state.commands]
    must = "the signal that is there is taken, and that is recorded; the one that is not there is waited for"
    bench.expect("R8", must, [["signal", awaited, True, payload]], taken)

    differs(bench, "workflows that catch everything in other ways")
    for reckless in seed.sample((_returns, _waits_again, _raises), 3):
        result = bench.run(lambda ctx, order, act=reckless: act(ctx, awaited, behind), bench.state(values.run_id()))
        must = "a bare `except:` does not make a waiting run completed"
        bench.expect_status("R9", must, "blocked", result)
        bench.expect("R9", "the result says which signal it waits for", awaited, result.waiting_for)
        bench.expect("R9", "nothing runs behind a wait that a bare `except:` has caught", calls, bench.calls)


def _expect_blocked(bench: Bench, result: Any, awaited: str, calls: list[str]) -> None:
    bench.expect_status("R9", "a run whose signal has not come is blocked", "blocked", result)
    bench.expect("R9", "the result says which signal it waits for", awaited, result.waiting_for)
    bench.expect("R9", "waiting runs no compensation, and nothing behind the wait", calls, bench.calls)


def _returns(ctx: Any, awaited: str, act: Any) -> Any:
    with suppress(BaseException):  # as a bare `except:` does
        ctx.wait_signal(awaited)
    try:
        ctx.call_activity(act)
    finally:
        return "done without an answer"  # noqa: B012


def _waits_again(ctx: Any, awaited: str, act: Any) -> Any:
    for _ in range(2):
        try:
            ctx.wait_signal(awaited)
        except:  # noqa: E722
            continue
    return None


def _raises(ctx: Any, awaited: str, act: Any) -> Any:
    try:
        ctx.wait_signal(awaited)
    except:  # noqa: E722
        raise RuntimeError("waited in vain") from None


@pytest.mark.todo(3, 5, needs=(1, 4))
def test_a_delivered_signal_resumes_without_running_again(bench: Bench, seed: Random) -> None:
    """R8, R1, R2, R5"""
    values = Values(seed)
    story = _Answered(bench, values)
    differs(bench, "a nested payload, which its owner changes afterwards")
    blocked = bench.run(story.workflow, story.start)
    bench.expect_status("R8", "a run whose signal has not come is blocked", "blocked", blocked)
    bench.clock.sleep(story.days)
    waiting = bench.restart(blocked.state)
    ready = story.deliver(waiting)
    differs(bench, "a journal with another error")
    _expect_to_hear_of_the_journal(bench, waiting, story.first, story.payload(), values.errors(1)[0])
    differs(bench, "a crash behind the signal, and a second signal")
    waiting = bench.run(story.workflow, bench.crash(story.workflow, bench.restart(ready)))
    must = "a run that died behind its signal goes on behind it"
    bench.expect_status("R8", must, "blocked", waiting)
    bench.expect("R8", "one signal is good for one wait", story.second, waiting.waiting_for)
    last = values.falsy(1)[0]
    done = bench.run(story.workflow, bench.signal(bench.restart(waiting.state), story.second, last))
    bench.expect_status("R8", "a run whose signal has come goes on", "completed", done)
    story.expect_end(done, last)


class _Answered:
    """Ask, wait for an answer, act on it, and wait again. The workflow changes the payload it gets."""

    def __init__(self, bench: Bench, values: Values) -> None:
        self.bench = bench
        self.first, self.second = values.signals(2)
        self.ask, self.act_on, self.thing, self.inner = values.step(), values.step(), values.thing(), values.thing()
        self.person, self.note, self.days = values.person(), values.value(), values.span()
        self.asked = bench.activity(self.ask)
        self.acted = bench.activity(self.act_on, Crash("power cut"), "as you wish")
        self.start = bench.state(values.run_id(), values.value())
        self.begun = values.moment()
        bench.clock = bench.m.SimulatedClock(self.begun)

    def payload(self) -> dict[str, Any]:
        return {self.inner: [{self.thing: self.person}], "note": self.note}

    def workflow(self, ctx: Any, order: Any) -> Any:
        ctx.call_activity(self.asked)
        answer = ctx.wait_signal(self.first)
        who, said = answer[self.inner][0][self.thing], answer["note"]
        answer[self.inner][0][self.thing] = "changed afterwards"
        answer[self.inner].append("changed afterwards")
        answer["note"] = "changed afterwards"
        got = ctx.call_activity(self.acted, who)
        return [who, said, got, ctx.wait_signal(self.second)]

    def deliver(self, waiting: Any) -> Any:
        """Deliver the first signal, and change the payload afterwards. Returns the new state."""
        theirs = self.payload()
        ready = self.bench.signal(waiting, self.first, theirs)
        theirs[self.inner][0][self.thing] = "Mallory"
        theirs["more"] = True
        arrived = [[s.name, s.payload, s.received_at] for s in ready.signals]
        must = "a delivered signal is in the new state: name, payload, time"
        self.bench.expect("R8", must, [[self.first, self.payload(), self.begun + self.days]], arrived)
        told = [[s.name, s.payload] for s in self.bench.journal if isinstance(s, self.bench.m.Signal)]
        self.bench.expect("R1", "the journal is told of the signal", [[self.first, self.payload()]], told)
        return ready

    def expect_end(self, done: Any, last: Any) -> None:
        """The finished run: its result, its history, and a replay of it."""
        bench, want = self.bench, [self.person, self.note, "as you wish", last]
        bench.expect("R8", "the workflow gets the payloads", want, done.value)
        calls = [as_text(self.ask, []), *[as_text(self.act_on, [self.person])] * 2]
        bench.expect("R2", "what was finished before the wait does not run again", calls, bench.calls)
        history = [["activity", self.ask], ["signal", self.first], ["activity", self.act_on], ["signal", self.second]]
        kinds = [[c.kind, c.name] for c in done.state.commands]
        bench.expect("R8", "consuming a signal is a recorded command", history, kinds)
        told = [[c.kind, c.name] for c in bench.journal if not isinstance(c, bench.m.Signal)]
        bench.expect("R1", "the journal is told that a signal was consumed", history, told)
        again = bench.run(self.workflow, done.state)
        bench.expect("R2", "a replay runs nothing, and gets the same", [calls, want], [bench.calls, again.value])
        names = [s.name for s in again.state.signals]
        bench.expect("R8", "a consumed signal stays in the state", [self.first, self.second], names)
        kept = [s.payload for s in done.state.signals] + [c.value for c in done.state.commands if c.kind == "signal"]
        must = "what is done to a payload reaches neither the signal nor its record"
        bench.expect("R5", must, [self.payload(), last, self.payload(), last], kept)


def _expect_to_hear_of_the_journal(bench: Bench, waiting: Any, name: str, payload: Any, error: Exception) -> None:
    def broken_disk(record: Any) -> None:
        raise error

    found = what_came_out(lambda: bench.engine(journal=broken_disk).signal(waiting, name, payload))
    must = "the caller hears of a journal that could not take the signal"
    bench.expect("R1", must, f"{type(error).__name__}: {error}", found)


@pytest.mark.todo(3, 5, needs=(1, 4))
def test_signals_are_consumed_per_name_in_order(bench: Bench, seed: Random) -> None:
    """R8"""
    values = Values(seed)
    a, b, c, unread = values.signals(4)
    empty = values.mixed([None], [value for value in values.falsy(2) if value is not None][:1])
    queue = {a: [*empty, *values.distinct(2)], b: values.distinct(1) * 2, c: values.distinct(1)}
    # At first there are two of `a` and one of `b`, and they are waited for in another order than that of arrival.
    waits = seed.choice(([a, b, a], [b, a, a]))
    arrivals = values.mixed([unread, a, a, b])
    while [name for name in arrivals if name != unread] == waits:
        arrivals = values.mixed([unread, a, a, b])
    waits += [a, *values.mixed([b, c]), a]
    late = values.mixed([a, b, c, a])

    def inbox(ctx: Any, order: Any) -> Any:
        return [ctx.wait_signal(name) for name in waits]

    differs(bench, "more signals that come one by one, equal and falsy payloads, and other orders")
    left = {**{name: list(payloads) for name, payloads in queue.items()}, unread: [values.value()]}
    state = bench.state(values.run_id(), values.value())
    for name in arrivals:  # before the first run: kept
        state = bench.signal(state, name, left[name].pop(0))
    arrived = list(arrivals)
    for delivered in (None, *late):
        if delivered:
            state = bench.restart(bench.signal(state, delivered, left[delivered].pop(0)))
            arrived.append(delivered)
        result = bench.run(inbox, state)
        got, missing = _consumed(waits, arrived, queue)
        if missing is None:
            bench.expect_status("R8", "now every signal is there", "completed", result)
            must = (
                "after a replay each wait goes on behind those already consumed; a second equal signal is a second one"
            )
            bench.expect("R8", must, got, result.value)
        else:
            must = f"so many waits have their signal: {len(got)}; a signal of another name does not help"
            bench.expect_status("R8", must, "blocked", result)
            bench.expect("R8", "the result says which signal is missing", missing, result.waiting_for)
        must = "per name first in, first out; None and False are payloads like any other"
        bench.expect("R8", must, got, [command.value for command in result.state.commands])
        # A run may go on from the state that it left, or from the older one, to which the signal came.
        state = state if delivered and seed.random() < 0.3 else result.state
    must = "signals stay in the state, also the one that was never read"
    bench.expect("R8", must, arrived, [signal.name for signal in state.signals])


def _consumed(waits: list[str], arrived: list[str], queue: dict[str, list[Any]]) -> tuple[list[Any], str | None]:
    """By rule R8: the payloads that the waits get, and the name of the first signal that is missing."""
    got: list[Any] = []
    taken: list[str] = []
    for name in waits:
        if taken.count(name) == arrived.count(name):
            return got, name
        got.append(queue[name][taken.count(name)])
        taken.append(name)
    return got, None
