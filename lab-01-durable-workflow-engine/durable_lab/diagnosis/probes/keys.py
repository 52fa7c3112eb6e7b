"""TODO 1: the idempotency key, as the bank sees it."""

import re

from durable_lab.checks.bench import Crash
from durable_lab.diagnosis.probes.probe import probe


def all_differ(b):
    """Return whether no two calls that had a key had the same one."""
    keys = [key for key in b.keys if key]
    return len(set(keys)) == len(keys)


@probe(1)
def the_first_key(b):
    """The first step of Kim's order pays 30."""
    b.log_keys = True
    b.try_run(lambda ctx, order: ctx.call_activity(b.activity("pay"), 30))
    yield "is given", b.keys[0] not in (None, "")
    yield "is id/position", b.keys == ["w-1/0"]


@probe(1)
def the_numbers_in_the_keys(b):
    """Three payments, with a reading of the clock after the first one: positions 0, 2 and 3."""
    b.log_keys = True
    pay = b.activity("pay")

    def buy(ctx, order):
        return [ctx.call_activity(pay, 10), ctx.now(), ctx.call_activity(pay, 20), ctx.call_activity(pay, 30)]

    b.try_run(buy)
    numbers = [re.findall(r"\d+", str(key).removeprefix("w-1"))[-1:] for key in b.keys]
    yield "numbers", [int(number[0]) if number and len(number[0]) < 5 else None for number in numbers]
    yield "are positions", b.keys in (["w-1/0", "w-1/2", "w-1/3"], [None] * 3)


@probe(1)
def the_first_key_after_a_power_cut(b):
    """The power fails during the first payment of a run. A new process calls the bank again."""
    b.log_keys = True
    pay = b.activity("pay", Crash("power cut"), "receipt")
    first = b.try_run(lambda ctx, order: ctx.call_activity(pay, 30))
    b.pass_time(60)
    b.try_run(lambda ctx, order: ctx.call_activity(pay, 30), first.state)
    yield "one key", len(set(b.keys)) < 2


@probe(1)
def the_key_behind_a_time(b):
    """The order reads the clock, and then it pays."""
    b.log_keys = True
    pay = b.activity("pay")

    def buy(ctx, order):
        ctx.now()
        return ctx.call_activity(pay, 30)

    b.try_run(buy)
    yield "is id/position", b.keys in ([], ["w-1/1"])


@probe(1)
def keys_of_three_attempts(b):
    """The bank pays, but its answer is lost twice. At the third attempt the answer arrives."""
    b.log_keys = True
    pay = b.activity("pay", OSError("no answer"), OSError("no answer"), "receipt")
    b.try_run(lambda ctx, order: ctx.call_activity(pay, 30))
    yield "one key", len(set(b.keys)) == 1


@probe(1)
def the_key_after_a_power_cut(b):
    """The power fails during the payment. A new process calls the bank again."""
    b.log_keys = True
    reserve, pay = b.activity("reserve"), b.activity("pay", Crash("power cut"), "receipt")

    def buy(ctx, order):
        return [ctx.call_activity(reserve), ctx.call_activity(pay, 30)]

    first = b.try_run(buy)
    b.pass_time(60)
    b.try_run(buy, first.state)
    yield "one key", len({key for call, key in zip(b.calls, b.keys, strict=True) if call.startswith("pay")}) < 2


@probe(1)
def keys_of_two_payments(b):
    """Kim bought two cups, and pays 30 for each."""
    b.log_keys = True
    pay = b.activity("pay", "receipt 1", "receipt 2")
    b.try_run(lambda ctx, order: [ctx.call_activity(pay, 30), ctx.call_activity(pay, 30)])
    yield "two keys", all_differ(b)


@probe(1)
def keys_of_two_steps(b):
    """A fee of 5 is paid to the shop, and 30 to Kim."""
    b.log_keys = True
    fee, pay = b.activity("pay_fee"), b.activity("pay_kim")
    b.try_run(lambda ctx, order: [ctx.call_activity(fee, 5), ctx.call_activity(pay, 30)])
    yield "two keys", all_differ(b)


@probe(1)
def keys_of_two_customers(b):
    """Kim and Lee get 30 each, in two runs: refund-kim and refund-lee."""
    b.log_keys = True
    pay = b.activity("pay")
    for customer in ("refund-kim", "refund-lee"):
        b.try_run(lambda ctx, order: ctx.call_activity(pay, 30), b.state(customer))
        b.pass_time(1)
    yield "two keys", all_differ(b)


@probe(1)
def a_plain_function(b):
    """An activity that does not take a key adds 1 to 5."""

    def add_one(number):
        b.log(f"add_one({number}) -> {number + 1}")
        b.calls.append("add_one")
        return number + 1

    add_one.__qualname__ = "add_one"  # Python says it in its errors

    end = b.try_run(lambda ctx, order: ctx.call_activity(add_one, 5))
    yield "ends", end.status
    yield "value", end.value
    yield "runs", len(b.calls) > 0


@probe(1)
def keys_of_one_payment(b):
    """One payment: the bank's answer is lost, the power fails in the second attempt, and a new process calls again."""
    b.log_keys = True
    reserve = b.activity("reserve")
    pay = b.activity("pay", OSError("no answer"), Crash("power cut"), "receipt")

    def buy(ctx, order):
        return [ctx.now(), ctx.call_activity(reserve), ctx.call_activity(pay, 30)]

    first = b.try_run(buy)
    b.pass_time(60)
    b.try_run(buy, first.state)
    yield "one key", len({key for call, key in zip(b.calls, b.keys, strict=True) if call.startswith("pay")}) < 2


@probe(1)
def keys_of_many_payments(b):
    """Kim and Lee get 30 each, twice, and pay a fee of 5: six payments in two runs."""
    b.log_keys = True
    pay, fee = b.activity("pay"), b.activity("pay_fee")

    def refund(ctx, order):
        return [ctx.call_activity(act, 30) for act in (pay, pay, fee)]

    for customer in ("refund-kim", "refund-lee"):
        b.try_run(refund, b.state(customer))
        b.pass_time(1)
    yield "a key for each", all_differ(b)
