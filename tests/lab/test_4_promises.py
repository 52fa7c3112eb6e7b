"""Promises: divergence is caught, history cannot be changed, and the whole story survives."""

import pytest

from durable_lab.checks.bench import Bench, Crash, as_json


@pytest.mark.todo(1, 4, needs=(2, 3, 5))
def test_divergence_is_caught_and_nothing_runs(bench: Bench) -> None:
    """R3, R4"""
    acts = {name: bench.activity(name) for name in ("reserve", "reserve_2", "charge", "extra")}

    def do(ctx, step):
        match step:
            case ("wait", signal):
                return ctx.wait_signal(signal)
            case ("now",):
                return ctx.now()
            case (name, *args):
                return ctx.call_activity(acts[name], *args)

    def version(*steps, careless=False, ending=None):
        """A workflow that takes these steps. A careless one goes on after an error; `ending` is a value or an error."""

        def changed(ctx, order):
            for step in steps:
                try:
                    do(ctx, step)
                except Exception:
                    if not careless:
                        raise
            if isinstance(ending, Exception):
                raise ending
            return ending

        return changed

    reserve, charge, wait, extra = ("reserve", {"id": "A1", "n": 1}), ("charge", "A1", 30), ("wait", "go"), ("extra",)
    first = bench.run(version(reserve, charge, wait, extra))
    state = bench.signal(bench.restart(first.state), "go", 1)
    reordered = bench.run(version(("reserve", {"n": 1, "id": "A1"}), charge, wait), state)
    bench.expect_status("R3", "the order of the keys of an object means nothing", "completed", reordered)
    state = bench.restart(reordered.state)
    before, calls = as_json(state), list(bench.calls)
    changes = {
        "a renamed activity": version(("reserve_2", {"id": "A1", "n": 1}), charge, wait, extra),
        "another argument": version(reserve, ("charge", "A1", 31), wait, extra),
        "1.0 where history has 1": version(("reserve", {"id": "A1", "n": 1.0}), charge, wait, extra),
        "two arguments in another order": version(reserve, ("charge", 30, "A1"), wait, extra),
        "one argument less": version(reserve, ("charge", "A1"), wait, extra),
        "another kind: now instead of an activity": version(reserve, ("now",), wait, extra),
        "another kind: an activity instead of a signal": version(reserve, charge, extra, extra),
        "another signal": version(reserve, charge, ("wait", "stop"), extra),
        "two steps in another order": version(charge, reserve, wait, extra),
        "a step removed": version(reserve, wait, extra),
        "an early return": version(reserve, charge, ending="done"),
        "an empty workflow": version(ending="done"),
        "an early failure": version(reserve, charge, ending=RuntimeError("gave up")),
        "a change whose error is swallowed": version(
            ("reserve_2", 1), reserve, charge, wait, extra, careless=True, ending="fine"
        ),
    }
    for change, workflow in changes.items():
        rule = "R4" if change in ("an early return", "an empty workflow", "an early failure") else "R3"
        try:
            result = bench.run(workflow, state)
        except (TypeError, ValueError) as error:
            must = f"{change} is a divergence, and the result says so"
            raise bench.broken(rule, must, f"{type(error).__name__} came out of `run`: {error}") from None
        bench.expect_status(rule, f"{change} is a divergence, and the run has failed", "failed", result)
        text = str(result.error)
        bench.expect_true(rule, f"{change}: the error is a NonDeterminismError", "NonDeterminism" in text, text)
        bench.expect(rule, f"{change}: nothing runs", calls, bench.calls)
        bench.expect(rule, f"{change}: history is unchanged", before, as_json(result.state))
    seen = []

    def witness(ctx, order):
        try:
            do(ctx, ("reserve_2", 5))
        except bench.m.NonDeterminismError as error:
            seen.extend([error.position, error.recorded.name, error.issued.name, "reserve_2" in str(error)])
            raise

    bench.run(witness, state)
    want = [0, "reserve", "reserve_2", True]
    bench.expect("R3", "the error says where, what is recorded, what was issued, and the text names it", want, seen)
    weak = bench.run(version(reserve, ("charge", "A1", 31), wait, extra), state, guard="names")
    bench.expect_status("R3", 'guard="names" compares kind and name only, and lets this pass', "completed", weak)


@pytest.mark.todo(1, 4, 5)
def test_states_are_never_changed_and_values_are_the_same_live_and_replayed(bench: Bench) -> None:
    """R5, R10"""
    basket = {"items": ["pen"], "size": 1}

    def from_the_shelf(given):
        given["items"].append("from the activity")
        if len(bench.calls) == 1:
            raise OSError("busy")
        return [("a", "b")]

    fetch = bench.activity("fetch", answer=from_the_shelf)
    peek = bench.activity("peek", answer=the_same)

    def shop(ctx, order):
        order["items"].append("from the workflow")
        mine = {"items": ["pen"], "size": 1}
        pair = ctx.call_activity(fetch, mine)
        copy = list(pair[0])
        if isinstance(pair[0], list):
            pair[0].append("changed afterwards")
        mine["items"].append("changed afterwards")
        box = ctx.call_activity(peek, {"items": []})
        box["items"].append("changed afterwards")
        return [type(pair).__name__, type(pair[0]).__name__, copy, mine["items"]]

    start = bench.state(given=basket)
    before = as_json(start)
    live = bench.run(shop, start)
    bench.expect("R10", "run leaves the state that it was given as it was", before, as_json(start))
    bench.expect("R10", "run leaves the input that it was given as it was", {"items": ["pen"], "size": 1}, basket)
    bench.expect(
        "R5",
        "what the workflow does to its input does not reach the new state",
        {"items": ["pen"], "size": 1},
        live.state.input,
    )
    recorded = [[list(c.args), c.value] for c in live.state.commands]
    history = [[[{"items": ["pen"], "size": 1}], [["a", "b"]]], [[{"items": []}], {"items": []}]]
    bench.expect("R5", "what is changed after it was recorded does not reach history", history, recorded)
    attempts = ['fetch({"items": ["pen"], "size": 1})'] * 2
    bench.expect("R5", "every attempt gets its arguments as the workflow passed them", attempts, bench.calls[:2])
    want = ["list", "list", ["a", "b"], ["pen", "changed afterwards"]]
    bench.expect("R5", "a tuple arrives as a list at once; an activity works on its own copy", want, live.value)
    finished = as_json(live.state)
    replayed = bench.run(shop, live.state)
    bench.expect_status("R5", "a replay ends as the live run did", "completed", replayed)
    bench.expect("R5", "replayed values are those of the live run", live.value, replayed.value)
    bench.expect(
        "R10",
        "a replay leaves the state as it was, whatever the workflow does to what it gets",
        finished,
        as_json(live.state),
    )
    signalled = bench.signal(live.state, "extra", [1])
    bench.expect("R10", "signal leaves the state that it was given as it was", finished, as_json(live.state))
    want = [live.state.workflow_id, live.state.input, 2, 1]
    found = [signalled.workflow_id, signalled.input, len(signalled.commands), len(signalled.signals)]
    bench.expect("R10", "signal returns a new state with all of the old one and the signal", want, found)
    later = bench.run(shop, bench.restart(live.state))
    bench.expect("R5", "values replayed by a new process are those of the live run", live.value, later.value)

    bad = bench.activity("bad", {"ok": 1, "rate": float("nan")}, {"ok": 1, "rate": {1: 2}})

    def unfit(ctx, order):
        try:
            return ctx.call_activity(bad)
        except bench.m.ActivityError as error:
            return [error.attempts, "rate" in str(error)]

    for what in ("NaN", "a key that is no text"):
        refused = bench.run(unfit, bench.state("w-3"))
        must = f"a result that JSON cannot carry ({what}) is a final failure that names the place"
        bench.expect("R5", must, [1, True], refused.value)
    calls = len(bench.calls)

    def as_an_argument(value):
        def asks(ctx, order):
            return ctx.call_activity(peek, value)

        bench.run(asks, bench.state("w-4"))

    def as_a_payload(value):
        bench.signal(bench.state("w-4"), "approval", value)

    for what, name, offer in (("an argument", "peek", as_an_argument), ("a payload", "approval", as_a_payload)):
        want = f"refused with an error that names `{name}` and the place `key`"
        try:
            offer({"key": {1, 2}})
            found = "it was accepted"
        except (TypeError, ValueError) as error:
            found = want if name in str(error) and "key" in str(error) else f"refused with: {error}"
        bench.expect("R5", f"{what} that JSON cannot carry is refused", want, found)
    bench.expect("R5", "the activity does not run with an argument that cannot be recorded", calls, len(bench.calls))


@pytest.mark.todo(1, 2, 3, 4, 5)
def test_the_refund_story_survives_kill_and_resume(bench: Bench) -> None:
    """R1 to R11, together"""
    ledger: dict[str, int] = {}  # the bank's own books: it deduplicates on the key
    dying = [Crash("killed before the effect"), Crash("killed after the effect")]

    def at_the_bank(order_id, amount):
        if len(dying) == 2:
            raise dying.pop()
        ledger[str(bench.keys[-1])] = amount
        if dying:
            raise dying.pop()
        return "receipt"

    assess, pay, email = (
        bench.activity("assess", "ok"),
        bench.activity("pay", answer=at_the_bank),
        bench.activity("email", OSError("busy"), None),
    )

    def refund(ctx, order):
        advice, asked = ctx.call_activity(assess, order), ctx.now()
        decision = ctx.wait_signal("approval")
        receipt = ctx.call_activity(pay, order["id"], order["amount"])
        ctx.call_activity(email, decision["by"])
        return [advice, asked, receipt, decision["by"]]

    order = {"id": "A1", "amount": 30}
    blocked = bench.run(refund, bench.state("refund-1", order))
    bench.expect_status("R9", "the refund waits for a human", "blocked", blocked)
    bench.clock.sleep(7200)
    ready = bench.signal(bench.restart(blocked.state), "approval", {"by": "Ana"})
    found = bench.crash(refund, ready)
    found = bench.crash(refund, found)
    done = bench.run(refund, found)
    bench.expect_status("R2", "the refund is finished by the third process", "completed", done)
    bench.expect("R7", "its answer is that of a run that never died", ["ok", 1000.0, "receipt", "Ana"], done.value)
    bench.expect("R11", "the bank paid once, under one key", {"refund-1/3": 30}, ledger)
    want = ['assess({"id": "A1", "amount": 30})', *['pay("A1", 30)'] * 3, *['email("Ana")'] * 2]
    bench.expect(
        "R2", "every step ran once, but for the one in flight and the one that was tried again", want, bench.calls
    )
    again = bench.run(refund, bench.restart(bench.recorded(bench.state("refund-1", order))))
    bench.expect_status("R2", "a replay of the finished refund ends as the run did", "completed", again)
    bench.expect("R2", "a replay of the finished refund has the same answer", done.value, again.value)
    bench.expect("R2", "a replay of the finished refund causes nothing", want, bench.calls)


def the_same(value):
    return value
