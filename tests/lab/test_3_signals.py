"""Signals: to wait for two days, and hold nothing."""

import pytest

from durable_lab.checks.bench import Bench, as_json


@pytest.mark.todo(3, 4, needs=(1,))
def test_a_missing_signal_suspends_and_holds_nothing(bench: Bench) -> None:
    """R8, R9"""
    ask, undo, pay = bench.activity("ask"), bench.activity("undo"), bench.activity("pay")

    def careful(ctx, order):
        ctx.call_activity(ask)
        try:
            ctx.wait_signal("approval")
        except Exception:
            ctx.call_activity(undo)
        return ctx.call_activity(pay)

    blocked = bench.run(careful)
    bench.expect_status("R9", "a run whose signal has not come is blocked", "blocked", blocked)
    bench.expect("R9", "the result says which signal it waits for", "approval", blocked.waiting_for)
    bench.expect("R9", "waiting runs no compensation, and nothing behind the wait", ["ask()"], bench.calls)
    bench.expect("R8", "a wait that is not over is not recorded", ["ask"], [c.name for c in blocked.state.commands])
    bench.expect("R9", "waiting takes no time on the clock: nothing is held", 1000.0, bench.clock.now())
    before = as_json(blocked.state)
    again = bench.run(careful, bench.restart(blocked.state))
    bench.expect("R2", "looking again changes nothing", before, as_json(again.state))
    bench.expect("R2", "looking again runs nothing", ["ask()"], bench.calls)

    def reckless(ctx, order):
        try:
            ctx.wait_signal("approval")
        except:
            pass
        try:
            ctx.call_activity(pay)
        finally:
            return "paid without approval"

    result = bench.run(reckless, bench.state("w-2"))
    bench.expect_status("R9", "a bare `except:` does not make a waiting run completed", "blocked", result)
    bench.expect("R9", "nothing runs behind a wait that a bare `except:` has caught", ["ask()"], bench.calls)


@pytest.mark.todo(3, 5, needs=(1, 4))
def test_a_delivered_signal_resumes_without_running_again(bench: Bench) -> None:
    """R8, R1, R2, R5"""
    ask, pay = bench.activity("ask"), bench.activity("pay")

    def refund(ctx, order):
        ctx.call_activity(ask)
        answer = ctx.wait_signal("approval")
        ctx.call_activity(pay, answer["by"])
        copy = dict(answer)
        answer["by"] = "changed afterwards"
        return copy

    blocked = bench.run(refund)
    waiting = bench.restart(blocked.state)
    bench.clock.sleep(172_800)  # two days
    answer = {"by": "Ana", "on": None}
    ready = bench.signal(waiting, "approval", answer)
    answer["by"] = "Mallory"  # the caller's own copy
    arrived = [[s.name, s.payload, s.received_at] for s in ready.signals]
    want = [["approval", {"by": "Ana", "on": None}, 173_800.0]]
    bench.expect("R8", "a delivered signal is in the new state: name, payload, time", want, arrived)
    told = [[s.name, s.payload] for s in bench.journal if isinstance(s, bench.m.Signal)]
    bench.expect("R1", "the journal is told of the signal", [["approval", {"by": "Ana", "on": None}]], told)

    def broken_disk(record):
        raise OSError("disk full")

    try:
        bench.engine(journal=broken_disk).signal(waiting, "approval", answer)
        found = "signal returned as if nothing had happened"
    except OSError as error:
        found = str(error)
    bench.expect("R1", "the caller hears of a journal that could not take the signal", "disk full", found)
    done = bench.run(refund, bench.restart(ready))
    bench.expect_status("R8", "a run whose signal has come goes on", "completed", done)
    bench.expect("R8", "the workflow gets the payload", {"by": "Ana", "on": None}, done.value)
    bench.expect("R2", "what ran before the wait does not run again", ["ask()", 'pay("Ana")'], bench.calls)
    kinds = [[c.kind, c.name] for c in done.state.commands]
    want = [["activity", "ask"], ["signal", "approval"], ["activity", "pay"]]
    bench.expect("R8", "consuming the signal is a recorded command", want, kinds)
    told = [[c.kind, c.name] for c in bench.journal if not isinstance(c, bench.m.Signal)]
    bench.expect("R1", "the journal is told that a signal was consumed", want, told)
    bench.run(refund, done.state)
    bench.expect("R2", "a replay runs nothing", ["ask()", 'pay("Ana")'], bench.calls)
    bench.expect("R8", "a consumed signal stays in the state", 1, len(done.state.signals))
    kept = [s.payload for s in done.state.signals] + [c.value for c in done.state.commands if c.kind == "signal"]
    want = [{"by": "Ana", "on": None}] * 2
    bench.expect("R5", "what is done to a payload reaches neither the signal nor its record", want, kept)


@pytest.mark.todo(3, 5, needs=(1, 4))
def test_signals_are_consumed_per_name_in_order(bench: Bench) -> None:
    """R8"""

    def inbox(ctx, order):
        got = [ctx.wait_signal("b"), ctx.wait_signal("a"), ctx.wait_signal("a")]
        return [*got, ctx.wait_signal("a"), ctx.wait_signal("b")]

    state = bench.state()
    for name, payload in (("a", False), ("a", None), ("b", "x"), ("other", 0)):  # before the first run: kept
        state = bench.signal(state, name, payload)
    blocked = bench.run(inbox, state)
    bench.expect_status("R8", "the third `a` has not come", "blocked", blocked)
    bench.expect("R8", "the result says which signal is missing", "a", blocked.waiting_for)
    values = [c.value for c in blocked.state.commands]
    must = "per name first in, first out; None and False are payloads like any other"
    bench.expect("R8", must, ["x", False, None], values)
    state = bench.restart(bench.signal(blocked.state, "b", "x"))  # equal, and a second one
    must = "a signal of another name ends no wait, and a replayed wait has consumed its own signal"
    bench.expect_status("R8", must, "blocked", bench.run(inbox, state))
    done = bench.run(inbox, bench.signal(state, "a", 3))
    bench.expect_status("R8", "now every signal is there", "completed", done)
    bench.expect(
        "R8", "after a replay each wait goes on behind those already consumed", ["x", False, None, 3, "x"], done.value
    )
    bench.expect("R8", "signals stay in the state, also the one that nobody read", 6, len(done.state.signals))
