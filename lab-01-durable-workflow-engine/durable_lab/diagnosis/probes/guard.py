"""TODO 1: what happens if history and code do not match."""

from durable_lab.diagnosis.probe_bench import command_names, same_state
from durable_lab.diagnosis.probes.probe import probe


def changed(name, story, was, now, todos=(1,), signals=(), between="the code is changed", **options):
    """Return a probe that completes a run with the steps `was`, and replays it with the steps `now`."""

    @probe(*todos, name=name, story=story)
    def scenario(b):
        acts = {act: b.activity(act, f"{act} ok") for act in ("pay", "refund", "send", "now", "go")}
        state = b.state()
        for signal in signals:
            state = b.engine().signal(state, signal, f"{signal}!")
        first = b.try_run(lambda ctx, order: [step(ctx, acts) for step in was], state)
        calls, before = len(b.calls), command_names(first.state)
        b.log(f"-- {between}")
        again = b.try_run(lambda ctx, order: [step(ctx, acts) for step in now], b.next_process(first.state), **options)
        b.log(f"records in history: {len(command_names(again.state))}")
        yield "noticed", again.status == "failed" and "NonDeterminism" in again.error
        yield "ends", again.status
        yield "runs", b.calls[calls:]
        yield "records", command_names(again.state) == before
        yield "value", again.value


def call(name, *args):
    return lambda ctx, acts: ctx.call_activity(acts[name], *args)


def wait(name):
    return lambda ctx, acts: ctx.wait_signal(name)


def look(ctx, acts):
    return ctx.now()


def give_up(ctx, acts):
    raise RuntimeError("gave up")


def mistake(ctx, acts):
    raise KeyError("amuont")


PAY, REFUND, SEND = call("pay"), call("refund"), call("send")
changed(
    "another_amount",
    "Kim got 30 for order A1. The new code pays 31.",
    was=[call("pay", "A1", 30)],
    now=[call("pay", "A1", 31)],
)
changed(
    "from_and_to_swapped",
    "30 was paid from Kim to Lee. The new code pays from Lee to Kim.",
    was=[call("pay", "Kim", "Lee")],
    now=[call("pay", "Lee", "Kim")],
)
changed(
    "one_argument_less",
    "Kim got 30 for order A1. The new code passes no amount.",
    was=[call("pay", "A1", 30)],
    now=[call("pay", "A1")],
)
changed(
    "true_instead_of_1",
    "The number of cups was 1. The new code passes True.",
    was=[call("pay", "A1", 1)],
    now=[call("pay", "A1", True)],
)
changed("another_activity", "The new code refunds instead of paying.", was=[PAY], now=[REFUND])
changed(
    "a_time_instead_of_a_step",
    "The new code reads the clock instead of paying.",
    was=[PAY],
    now=[look],
    todos=(1, 2),
)
changed(
    "a_time_instead_of_a_step_of_that_name",
    "The old code called an activity `now`. The new code reads the clock.",
    was=[call("now")],
    now=[look],
)
changed(
    "a_step_instead_of_a_time_of_that_name",
    "The old code read the clock. The new code calls an activity `now`.",
    was=[look],
    now=[call("now")],
)
changed(
    "a_step_instead_of_a_wait_of_that_name",
    "The old code waited for `go`. The new code calls an activity `go`.",
    was=[wait("go")],
    now=[call("go")],
    signals=("go",),
)
changed(
    "a_capital_instead_of_a_small_letter",
    "Kim got 30 for order a1. The new code names the order A1.",
    was=[call("pay", "a1", 30)],
    now=[call("pay", "A1", 30)],
)
changed(
    "a_space_more",
    "Kim got 30 for order a1. The new code names the order with a space behind it.",
    was=[call("pay", "a1", 30)],
    now=[call("pay", "a1 ", 30)],
)
changed(
    "a_step_instead_of_a_wait",
    "The new code pays instead of waiting for `go`.",
    was=[wait("go")],
    now=[PAY],
    signals=("go",),
)
changed(
    "a_wait_instead_of_a_step",
    "The new code waits for `go` instead of paying.",
    was=[PAY],
    now=[wait("go")],
    todos=(1, 3),
    signals=("go",),
)
changed(
    "another_signal",
    "The new code waits for `stop` instead of `go`.",
    was=[wait("go")],
    now=[wait("stop")],
    todos=(1, 3),
    signals=("go", "stop"),
)
changed(
    "fields_in_another_order",
    "A service sends the same order a second time, with its fields in another order. Nothing is wrong.",
    was=[call("pay", {"id": "A1", "cups": 2})],
    now=[call("pay", {"cups": 2, "id": "A1"})],
    between="the same order, its fields in another order",
)
changed(
    "a_weak_guard_is_asked_for",
    'Kim got 30; the new code pays 31. The engine has guard="names", to show what such a guard misses.',
    was=[call("pay", "A1", 30)],
    now=[call("pay", "A1", 31)],
    guard="names",
)
changed(
    "a_step_is_taken_out",
    "The order was paid and sent. The new code only sends.",
    was=[PAY, SEND],
    now=[SEND],
    todos=(1, 4),
)
changed(
    "the_end_is_cut_off",
    "The order was paid and sent. The new code ends after the payment.",
    was=[PAY, SEND],
    now=[PAY],
    todos=(4,),
)
changed(
    "it_gives_up_early",
    "The order was paid and sent. The new code gives up after the payment.",
    was=[PAY, SEND],
    now=[PAY, give_up],
    todos=(4,),
)
changed(
    "a_bug_before_the_end",
    "The order was paid and sent. The new code has a spelling mistake after the payment.",
    was=[PAY, SEND],
    now=[PAY, mistake],
    todos=(4,),
)


@probe(4)
def what_the_run_says_of_a_divergence(b):
    """Kim's order was paid and sent. The new code refunds instead of paying."""
    pay_kim, send, refund = b.activity("pay"), b.activity("send"), b.activity("refund")
    first = b.try_run(lambda ctx, order: [ctx.call_activity(pay_kim), ctx.call_activity(send)])
    end = b.try_run(lambda ctx, order: ctx.call_activity(refund), b.next_process(first.state))
    b.log(f"the error {'names' if 'refund' in end.error else 'does not name'} the activity refund")
    yield "noticed", end.status == "failed" and "NonDeterminism" in end.error
    yield "asked is told", "refund" in end.error
    yield "recorded is told", "pay" in end.error


@probe(1)
def changed_arguments(b):
    """Kim got 30 for order A1. Three changes of the code: another amount, the arguments swapped, no amount."""
    pays = b.activity("pay")
    first = b.try_run(lambda ctx, order: ctx.call_activity(pays, "A1", 30))
    noticed = []
    for args in (("A1", 31), (30, "A1"), ("A1",)):
        again = b.try_run(lambda ctx, order, args=args: ctx.call_activity(pays, *args), first.state)
        noticed.append(again.status == "failed")
    yield "all are noticed", all(noticed)
    yield "noticed", noticed


@probe(1)
def what_the_error_says(b):
    """Kim's order was reserved and paid. The new code refunds instead of paying."""
    reserve, pay_kim, refund = b.activity("reserve"), b.activity("pay"), b.activity("refund")
    first = b.try_run(lambda ctx, order: [ctx.call_activity(reserve), ctx.call_activity(pay_kim)])
    said = []

    def new_code(ctx, order):
        ctx.call_activity(reserve)
        try:
            ctx.call_activity(refund)
        except b.m.NonDeterminismError as error:
            said.extend([error.position, error.recorded.name, error.issued.name])
            b.log(f"the error: position {said[0]}, recorded {said[1]}, issued {said[2]}")
            raise

    b.try_run(new_code, b.next_process(first.state))
    yield "is raised", len(said) == 3
    yield "right", said in ([], [1, "pay", "refund"])
    yield "position, recorded, issued", said


@probe(1, 4)
def a_caught_divergence(b):
    """Kim's order was paid. The new code refunds instead, catches the error about that, and continues."""
    pay_kim, refund, send = b.activity("pay"), b.activity("refund"), b.activity("send")
    first = b.try_run(lambda ctx, order: ctx.call_activity(pay_kim))
    calls = len(b.calls)

    def careless(ctx, order):
        for step in (refund, pay_kim, send):
            try:
                ctx.call_activity(step)
            except Exception:
                continue
        return "fine"

    again = b.try_run(careless, first.state)
    yield "ends", again.status
    yield "goes on", len(b.calls) > calls
    yield "records", same_state(first.state, again.state)
