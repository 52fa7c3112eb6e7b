"""TODO 1: steps, their records, and how a second process uses them."""

from contextlib import suppress

from durable_lab.checks.bench import Crash
from durable_lab.diagnosis.probe_bench import command_names, compare_count, same_state
from durable_lab.diagnosis.probes.probe import probe


def shop(b, *steps):
    """Return a workflow that calls these activities one after the other for order A1, and returns their results."""
    return lambda ctx, order: [ctx.call_activity(step, "A1") for step in steps]


@probe(1, 4, early=True)
def three_steps(b):
    """Kim orders a cup: it is reserved, charged and sent."""
    steps = [b.activity(name, f"{name} ok") for name in ("reserve", "charge", "send")]
    heard = []

    def buy(ctx, order):
        got = []
        for step in steps:
            got.append(ctx.call_activity(step, "A1"))
            heard.append(len(b.journal))
        return got

    end = b.try_run(buy)
    yield "ends", end.status
    yield "value", end.value
    yield "calls", len(b.calls)
    yield "records", command_names(end.state)
    yield "journal when the workflow goes on", heard
    yield "journal", compare_count(len(b.journal), 3)


@probe(1, 4)
def a_finished_order_again(b):
    """Kim's order of two steps is completed. Support opens it again."""
    buy = shop(b, b.activity("reserve", "cup 7", "cup 8"), b.activity("charge", "paid", "paid again"))
    first = b.try_run(buy)
    b.pass_time(60)
    calls, heard, before = len(b.calls), len(b.journal), len(command_names(first.state))
    again = b.try_run(buy, b.next_process(first.state))
    yield "ends", again.status
    yield "value", again.value == first.value
    yield "calls", len(b.calls) - calls
    yield "which", b.calls[calls:]
    yield "journal", compare_count(len(b.journal) - heard, 0)
    yield "records", len(command_names(again.state)) - before


@probe(1)
def a_replay_step_by_step(b):
    """Kim's order of two steps is completed. A workflow replays it and notes at which step it is stopped."""
    reserve, charge = b.activity("reserve"), b.activity("charge")
    first = b.try_run(shop(b, reserve, charge))
    stopped = []

    def careful(ctx, order):
        for number, step in enumerate((reserve, charge), start=1):
            try:
                ctx.call_activity(step, "A1")
            except Exception:
                stopped.append(number)
                raise

    b.try_run(careful, b.next_process(first.state))
    yield "stops at step", stopped[0] if stopped else 0


@probe(1)
def an_empty_answer(b):
    """The price of Kim's order is 0, and all other answers are empty. Support opens the order again."""
    steps = [
        b.activity(name, value, "x") for name, value in (("price", 0), ("note", ""), ("tell", None), ("gift", False))
    ]
    first = b.try_run(shop(b, *steps))
    calls = len(b.calls)
    again = b.try_run(shop(b, *steps), b.next_process(first.state))
    yield "runs again", len(b.calls) > calls
    yield "which", b.calls[calls:]
    yield "ends", again.status


@probe(1)
def the_same_call_twice(b):
    """Kim draws two numbers. The first one is 7, the second one is 9."""
    draw = b.activity("draw", 7, 9, 11)

    def lots(ctx, order):
        return [ctx.call_activity(draw, "Kim"), ctx.call_activity(draw, "Kim")]

    first = b.try_run(lots)
    yield "value", first.value
    yield "calls", len(b.calls)
    yield "on replay", b.try_run(lots, b.next_process(first.state)).value


@probe(1)
def two_equal_parcels(b):
    """Kim bought two cups. Each is sent in a separate parcel. Then support opens the order again."""
    send = b.activity("send", "sent")

    def parcels(ctx, order):
        return [ctx.call_activity(send, "cup"), ctx.call_activity(send, "cup")]

    first = b.try_run(parcels)
    calls = len(b.calls)
    yield "calls", calls
    yield "records", len(command_names(first.state))
    again = b.try_run(parcels, b.next_process(first.state))
    yield "on replay", [again.status, len(b.calls) - calls]


@probe(1)
def two_prices(b):
    """A cup costs 30 and tea costs 3."""
    price = b.activity("price", answer=lambda what: {"cup": 30, "tea": 3}[what])
    end = b.try_run(lambda ctx, order: [ctx.call_activity(price, "cup"), ctx.call_activity(price, "tea")])
    yield "value", end.value


@probe(1)
def while_it_runs(b):
    """The bank is called. At that moment the outcome is still unknown."""
    pay = b.activity("pay", answer=lambda *_: len(b.journal))
    end = b.try_run(shop(b, pay))
    yield "recorded before it happened", end.value


@probe(1, 4)
def a_power_cut(b):
    """The cup is reserved. The power fails during the charge. A new process continues."""
    reserve, send = b.activity("reserve", "cup 7", "cup 8"), b.activity("send", "sent")
    buy = shop(b, reserve, b.activity("charge", Crash("power cut"), "paid"), send)
    first = b.try_run(buy)
    found = command_names(first.state)
    calls = len(b.calls)
    yield "the process", first.status
    yield "in the journal", found
    b.pass_time(60)
    second = b.try_run(buy, first.state)
    yield "then runs", b.calls[calls:]
    yield "ends", second.status
    yield "value", second.value


@probe(1, 4)
def a_journal_that_cannot_write(b):
    """The disk is full. The workflow catches every error and tries again."""
    charge = b.activity("charge")

    def stubborn(ctx, order):
        for euros in (10, 20, 30):
            try:
                ctx.call_activity(charge, euros)
            except Exception:
                continue
        return "all charged"

    end = b.try_run(stubborn, journal=b.full_disk)
    yield "ends", end.status
    yield "calls", len(b.calls)
    yield "goes on", len(b.calls) > 1


@probe(1)
def after_a_stop(b):
    """The refund waits for Ana. The workflow catches every exception from the wait, and calls the bank."""
    pay = b.activity("pay")

    def reckless(ctx, order):
        with suppress(BaseException):
            ctx.wait_signal("approval")
        return ctx.call_activity(pay, 30)

    end = b.try_run(reckless)
    yield "runs", len(b.calls) > 0
    yield "ends", end.status


@probe(1)
def steps_around_a_time_and_a_wait(b):
    """A step, a reading of the clock, a wait for Ana, and another step. Then the run is replayed."""
    ask, pay = b.activity("ask"), b.activity("pay")

    def refund(ctx, order):
        return [ctx.call_activity(ask), ctx.now(), ctx.wait_signal("approval"), ctx.call_activity(pay)]

    blocked = b.try_run(refund)
    b.pass_time(3600)
    done = b.try_run(refund, b.deliver(b.next_process(blocked.state), "approval", "yes"))
    yield "ends", [blocked.status, done.status]
    yield "value", done.value
    yield "calls", b.calls
    yield "records", command_names(done.state)
    again = b.try_run(refund, done.state)
    yield "again", [again.status, same_state(done.state, again.state)]
