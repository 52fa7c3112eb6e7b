"""TODO 4: how a run ended, and its new state."""

from contextlib import suppress

from durable_lab.checks.bench import Crash
from durable_lab.diagnosis.probe_bench import command_names, compare_count, json_value, same_state
from durable_lab.diagnosis.probes.probe import probe


@probe(4)
def a_run_that_is_not_completed(b):
    """Ana is asked. In one run she has not answered; in the other run the bank cannot pay."""
    ask, pay = b.activity("ask"), b.activity("pay", ValueError("closed"))
    waits = b.try_run(lambda ctx, order: [ctx.call_activity(ask), ctx.wait_signal("approval")])
    fails = b.try_run(lambda ctx, order: [ctx.call_activity(ask), ctx.call_activity(pay)], b.state("w-2"))
    b.log(f"records of the run that waits: {len(command_names(waits.state))}")
    b.log(f"records of the run that failed: {len(command_names(fails.state))}")
    yield "keeps its records", command_names(waits.state) == ["ask"] and command_names(fails.state) == ["ask", "pay"]


@probe(4)
def it_returns_nothing(b):
    """The last step of the order returns nothing, and so does the workflow."""
    step = b.activity("tell", None)

    def notify(ctx, order):
        ctx.call_activity(step)

    end = b.try_run(notify)
    yield "ends", end.status
    yield "value", end.value


@probe(4)
def it_returns_zero(b):
    """The workflow returns 0, because there was nothing to pay."""
    end = b.try_run(lambda ctx, order: 0)
    yield "ends", end.status
    yield "value", end.value


@probe(4)
def it_waits(b):
    """Ana is asked, and the run waits for her."""
    ask, pay = b.activity("ask"), b.activity("pay")
    end = b.try_run(lambda ctx, order: [ctx.call_activity(ask), ctx.wait_signal("approval"), ctx.call_activity(pay)])
    yield "ends", end.status
    yield "says for what", end.waiting_for == "approval"
    b.log(f"records in the new state: {len(command_names(end.state))}")
    yield "records in the new state", command_names(end.state)


@probe(4)
def an_activity_fails(b):
    """The cup is reserved, and the bank cannot pay. The workflow does not catch it."""
    reserve, pay = b.activity("reserve"), b.activity("pay", ValueError("closed"))
    end = b.try_run(lambda ctx, order: [ctx.call_activity(reserve), ctx.call_activity(pay, 30)])
    b.log(f"records in the new state: {len(command_names(end.state))}")
    yield "ends", end.status
    yield "records in the new state", command_names(end.state)
    yield "calls", b.calls.count("reserve()")
    yield "starts over", b.calls.count("reserve()") > 1
    yield "type is told", "ActivityError" in end.error
    yield "message is told", "closed" in end.error
    yield "a text is told", end.error != ""


@probe(4)
def the_workflow_refuses(b):
    """The workflow itself raises RuntimeError: out of stock."""
    reserve = b.activity("reserve")

    def refuse(ctx, order):
        ctx.call_activity(reserve)
        raise RuntimeError("out of stock")

    end = b.try_run(refuse)
    yield "ends", end.status
    yield "records", command_names(end.state)
    yield "calls", len(b.calls)
    yield "type is told", "RuntimeError" in end.error
    yield "message is told", "out of stock" in end.error


@probe(4)
def a_bug(b):
    """The workflow has a spelling mistake: it looks for `amuont`. The step before it succeeded."""
    pay = b.activity("pay")

    def mistaken(ctx, order):
        ctx.call_activity(pay)
        return order["amuont"]

    end = b.try_run(mistaken, b.state("w-1", {"amount": 30}))
    yield "ends", end.status
    yield "in the journal", command_names(b.recovered(b.state("w-1", {"amount": 30})))
    yield "calls", len(b.calls)


@probe(4)
def the_machine_is_shut_down(b):
    """The cup is reserved. Then the machine is shut down in the middle of the workflow."""
    reserve = b.activity("reserve")

    def shop(ctx, order):
        ctx.call_activity(reserve)
        raise Crash("shut down")

    end = b.try_run(shop)
    yield "ends", end.status
    found = command_names(b.recovered(b.state()))
    b.log(f"a new process finds records of: {', '.join(found) or 'nothing'}")
    yield "in the journal", found


@probe(4)
def the_journal_hears(b):
    """Two steps. After each one, the journal is checked."""
    step, heard = b.activity("step"), []

    def shop(ctx, order):
        for _ in range(2):
            ctx.call_activity(step)
            heard.append(len(b.journal))
            b.log(f"the journal has {heard[-1]} records")

    b.try_run(shop)
    yield "in time", heard == [1, 2]
    yield "at the end", compare_count(len(b.journal), 2)


@probe(4)
def a_full_disk(b):
    """The disk is full. The workflow does not catch anything."""
    pay = b.activity("pay")
    end = b.try_run(lambda ctx, order: ctx.call_activity(pay, 30), journal=b.full_disk)
    yield "ends", end.status


@probe(4)
def a_full_disk_and_another_error(b):
    """The disk is full. The workflow catches this error, and raises another one."""
    pay = b.activity("pay")

    def shop(ctx, order):
        try:
            ctx.call_activity(pay, 30)
        except Exception:
            raise ValueError("an error of the workflow's own") from None

    end = b.try_run(shop, journal=b.full_disk)
    yield "ends", end.status


@probe(4)
def a_caught_wait_and_another_error(b):
    """Ana has not answered. The workflow catches the wait, and raises an error."""

    def shop(ctx, order):
        try:
            ctx.wait_signal("approval")
        except BaseException:
            raise RuntimeError("an error of the workflow's own") from None

    end = b.try_run(shop)
    yield "ends", end.status


@probe(4)
def a_caught_wait(b):
    """Ana has not answered. The workflow catches everything and returns "fine"."""

    def reckless(ctx, order):
        with suppress(BaseException):
            ctx.wait_signal("approval")
        return "fine"

    end = b.try_run(reckless)
    yield "ends", end.status
    yield "value", end.value


@probe(4)
def the_state_of_yesterday(b):
    """Yesterday's state has one step. Today the run continues; then support opens yesterday's state."""
    ask, pay = b.activity("ask"), b.activity("pay")

    def refund(ctx, order):
        return [ctx.call_activity(ask), ctx.wait_signal("approval"), ctx.call_activity(pay)]

    blocked = b.try_run(refund)
    yesterday = b.deliver(b.next_process(blocked.state), "approval", "yes")
    before = command_names(yesterday)
    today = b.try_run(refund, yesterday)
    b.log(f"yesterday's state has {', '.join(command_names(yesterday))}")
    yield "ends", today.status
    yield "is kept", command_names(yesterday) == before
    yield "the new one has all", command_names(today.state)
    fork = b.try_run(refund, yesterday)
    yield "a second run from it", [fork.status, command_names(fork.state) == command_names(today.state)]


@probe(4)
def an_empty_start(b):
    """A new order is run. Then support opens the state from before the run."""
    step, start = b.activity("pay"), b.state()
    end = b.try_run(lambda ctx, order: ctx.call_activity(step), start)
    b.log(f"records in the state from before: {len(command_names(start))}")
    b.log(f"records in the new state: {len(command_names(end.state))}")
    yield "is kept", len(command_names(start)) == 0
    yield "the new one", len(command_names(end.state))


@probe(4)
def two_customers_of_one_engine(b):
    """One worker has one engine. It runs Kim's order, and then Lee's."""
    b.log_keys = True
    pay, engine = b.activity("pay"), b.engine()

    def buy(ctx, order):
        return [ctx.workflow_id, ctx.call_activity(pay, order), ctx.call_activity(pay, order)]

    first = b.try_run(buy, b.state("kim", "Kim"), engine=engine)
    second = b.try_run(buy, b.state("lee", "Lee"), engine=engine)
    yield "first", [first.status, first.value]
    yield "second", [second.status, second.value]
    yield "second is right", second.value == ["lee", "pay", "pay"]
    yield "calls", b.calls
    yield "keys", b.keys


@probe(4)
def steps_that_are_not_in_the_order_of_the_alphabet(b):
    """Step, then charge, then book: each takes a second. Then the completed order is opened again."""
    steps = [b.activity(name, answer=lambda: b.clock.sleep(1) or "ok") for name in ("step", "charge", "book")]

    def shop(ctx, order):
        return [ctx.call_activity(step) for step in steps]

    first = b.try_run(shop)
    again = b.try_run(shop, b.next_process(first.state))
    yield "ends", again.status
    yield "records", command_names(again.state)


@probe(4)
def a_failed_order_again(b):
    """The bank could not pay, and the run has failed. Now the bank works again, and support opens the run."""
    reserve, pay = b.activity("reserve"), b.activity("pay", *[OSError("bank closed")] * 3, "receipt")

    def shop(ctx, order):
        return [ctx.call_activity(reserve), ctx.call_activity(pay, 30)]

    first = b.try_run(shop)
    calls = len(b.calls)
    again = b.try_run(shop, b.next_process(first.state))
    yield "ends", [first.status, again.status]
    yield "calls in the first", calls
    yield "then runs", b.calls[calls:]


@probe(4)
def a_waiting_order_again(b):
    """Ana was asked. She answers, and the run continues from its new state."""
    ask, pay = b.activity("ask"), b.activity("pay")

    def refund(ctx, order):
        return [ctx.call_activity(ask), ctx.wait_signal("approval"), ctx.call_activity(pay)]

    blocked = b.try_run(refund)
    done = b.try_run(refund, b.deliver(b.next_process(blocked.state), "approval", "yes"))
    yield "ends", done.status
    yield "calls", b.calls
    yield "value", json_value(done.value)
    yield "again", same_state(done.state, b.try_run(refund, done.state).state)


def careless(b, step):
    """Return a workflow that takes this step, catches everything, and returns "fine"."""

    def workflow(ctx, order):
        with suppress(BaseException):
            step(ctx)
        return "fine"

    return workflow


@probe(4)
def a_caught_full_disk(b):
    """The disk is full. The workflow catches everything and returns "fine"."""
    pay = b.activity("pay")
    yield "ends", b.try_run(careless(b, lambda ctx: ctx.call_activity(pay, 30)), journal=b.full_disk).status


@probe(4)
def a_caught_shutdown(b):
    """The machine is shut down in the middle of a payment. The workflow catches everything and returns "fine"."""
    pay = b.activity("pay", Crash("shut down"))
    yield "ends", b.try_run(careless(b, lambda ctx: ctx.call_activity(pay, 30))).status
