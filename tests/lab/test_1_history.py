"""History: what is recorded, and what a second run does with it."""

import pytest

from durable_lab.checks.bench import Bench, Crash, as_json


@pytest.mark.todo(1, 4)
def test_a_fresh_run_records_every_command_in_order_before_moving_on(bench: Bench) -> None:
    """R1, R6"""
    seen = []
    reserve, charge = bench.activity("reserve", "r-1"), bench.activity("charge", None)

    def shop(ctx, order):
        for act, args in ((reserve, ["A1"]), (charge, ["A1", 30]), (reserve, ["B2"])):
            seen.append((ctx.call_activity(act, *args), len(bench.journal)))
        return order["id"]

    result = bench.run(shop, bench.state(given={"id": 7}))
    bench.expect_status("R6", "a workflow that returns is completed", "completed", result)
    bench.expect("R6", "the value of the result is what the workflow returned", 7, result.value)
    recorded = [[c.kind, c.name, list(c.args), c.ok, c.value] for c in result.state.commands]
    want = [
        ["activity", "reserve", ["A1"], True, "r-1"],
        ["activity", "charge", ["A1", 30], True, None],
        ["activity", "reserve", ["B2"], True, "r-1"],
    ]
    bench.expect("R6", "each command is recorded once, in the order of the calls", want, recorded)
    bench.expect(
        "R1", "the journal has a result when the workflow gets it", [["r-1", 1], [None, 2], ["r-1", 3]], listed(seen)
    )
    bench.expect("R1", "the journal and the new state say the same", as_json(result.state), journal_json(bench))

    def does_nothing(ctx, order):
        return None

    nothing = bench.run(does_nothing, bench.state("w-3"))
    bench.expect_status("R6", "a workflow that returns None is completed, too", "completed", nothing)

    def broken_disk(record):
        raise RuntimeError("disk full")  # subtle: the same error of the workflow's own would only fail the run (R13)

    def stubborn(ctx, order):
        for _ in range(3):
            try:
                ctx.call_activity(charge, "C3", 1)
            except Exception:
                continue
        raise RuntimeError("an error of the workflow's own")

    calls = len(bench.calls)
    try:
        found = f"run returned, status {bench.run(stubborn, bench.state('w-2'), journal=broken_disk).status}"
    except RuntimeError as error:
        found = str(error)
    bench.expect("R1", "a journal that fails ends the run, and its error reaches the caller", "disk full", found)
    bench.expect("R1", "after that, no more activities run, whatever the workflow catches", 1, len(bench.calls) - calls)


@pytest.mark.todo(1, needs=(4,))
def test_a_replay_of_a_finished_history_runs_nothing(bench: Bench) -> None:
    """R2"""
    free, nothing = bench.activity("price", 0, 99), bench.activity("note", None, "second")
    empty, twice = bench.activity("tags", "", "x"), bench.activity("draw", 1, 2, 3)
    ring = bench.activity("ring")

    def shop(ctx, order):
        # None, 0 and "" are results like any other; two calls of one activity have a record each
        first = [ctx.call_activity(act) for act in (free, nothing, empty)]
        ctx.call_activity(ring)
        ctx.call_activity(ring)  # the same call with the same result is a second command all the same
        return [*first, ctx.call_activity(twice), ctx.call_activity(twice), ctx.workflow_id]

    first = bench.run(shop)
    bench.expect("R2", "the first run gets what the activities returned", [0, None, "", 1, 2, "w-1"], first.value)
    calls, records, history = list(bench.calls), len(bench.journal), as_json(first.state)
    again = bench.run(shop, bench.restart(first.state))
    bench.expect_status("R2", "a replay ends as the run did", "completed", again)
    bench.expect("R2", "a replay calls no activity", calls, bench.calls)
    bench.expect("R2", "a replay gets the recorded results", first.value, again.value)
    engine = bench.engine()
    values = [engine.run(shop, again.state).value for _ in range(2)]
    bench.expect("R2", "one engine can run many times: no run leaves anything to the next", [first.value] * 2, values)
    bench.expect("R2", "a replay records nothing", [records, history], [len(bench.journal), as_json(again.state)])


@pytest.mark.todo(1, needs=(4,))
def test_after_a_crash_in_the_middle_only_the_rest_runs(bench: Bench) -> None:
    """R2, R11"""
    reserve, send = bench.activity("reserve", "r-1", "r-2"), bench.activity("send", "s-1")
    charge = bench.activity("charge", Crash("power cut"), "c-1")

    def shop(ctx, order):
        bill = order["items"] * 10
        return [ctx.call_activity(reserve, bill), ctx.call_activity(charge, bill), ctx.call_activity(send, bill)]

    found = bench.crash(shop, bench.state("shop-9", {"items": 3}))
    bench.expect("R1", "the journal holds just what was finished before the crash", ["reserve"], names(found))
    result = bench.run(shop, found)
    want = ["reserve(30)", "charge(30)", "charge(30)", "send(30)"]
    bench.expect("R2", "the finished step does not run again; the one in flight does; then the rest", want, bench.calls)
    bench.expect_status("R2", "the run goes on to its end", "completed", result)
    bench.expect("R2", "the answer is that of a run without a crash", ["r-1", "c-1", "s-1"], result.value)
    keys = ["shop-9/0", "shop-9/1", "shop-9/1", "shop-9/2"]
    bench.expect("R11", "the activity in flight gets the same idempotency key again: id/position", keys, bench.keys)
    bench.expect("R6", "history has one record a command", ["reserve", "charge", "send"], names(result.state))

    def plain(n):
        return n + 1

    def adds(ctx, order):
        return ctx.call_activity(plain, 5)

    result = bench.run(adds, bench.state("w-2"))
    bench.expect_status("R11", "an activity that does not declare the key is called without it", "completed", result)


def names(state):
    return [command.name for command in state.commands]


def listed(pairs):
    return [list(pair) for pair in pairs]


def journal_json(bench):
    return as_json(bench.recorded(bench.state(given={"id": 7})))
