"""History: what is recorded, and what a second run does with it."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from durable_lab.checks.bench import Bench, Crash, as_json
from grader.checker.hidden.difference import differs
from grader.checker.hidden.observed import as_text, names, what_came_out
from grader.checker.hidden.values import Values


@pytest.mark.todo(1, 4)
def test_a_fresh_run_records_every_command_in_order_before_moving_on(bench: Bench, seed: Random) -> None:
    """R1, R6"""
    values = Values(seed)
    run_id, thing = values.run_id(), values.thing()
    given = {thing: values.value(), "size": values.value(0)}
    results = dict(zip(values.steps(3), [*values.distinct(2), None], strict=True))
    acts = {name: bench.activity(name, result) for name, result in results.items()}
    more = seed.choices([*results], k=seed.randint(1, 4))
    plan = [(name, values.arguments()) for name in values.mixed([*results], more)]
    seen: list[Any] = []

    def workflow(ctx: Any, order: Any) -> Any:
        for name, args in plan:
            seen.append([ctx.call_activity(acts[name], *args), len(bench.journal)])
        return {"done": order[thing], "steps": len(plan)}

    start = bench.state(run_id, given)
    result = bench.run(workflow, start)
    bench.expect_status("R6", "a workflow that returns is completed", "completed", result)
    want = {"done": given[thing], "steps": len(plan)}
    bench.expect("R6", "the value of the result is what the workflow returned", want, result.value)
    recorded = [[c.kind, c.name, list(c.args), c.ok, c.value, c.error] for c in result.state.commands]
    records = [["activity", name, args, True, results[name], None] for name, args in plan]
    bench.expect("R6", "each command is recorded once, in the order of the calls", records, recorded)
    gets = [[results[name], i] for i, (name, _) in enumerate(plan, 1)]
    bench.expect("R1", "the journal has a result when the workflow gets it", gets, seen)
    bench.expect(
        "R1", "the journal and the new state say the same", as_json(result.state), as_json(bench.recorded(start))
    )
    bench.expect(
        "R6", "the new state is that of the same run", [run_id, given], [result.state.workflow_id, result.state.input]
    )
    differs(bench, "a workflow that returns None, 0 or something empty")
    for value in (None, *values.falsy(2)):
        falsy = bench.run(lambda ctx, order, v=value: v, bench.state(values.run_id()))
        bench.expect_status("R6", "a workflow that returns nothing much is completed, too", "completed", falsy)
        bench.expect("R6", "what it returned is the value of the result", value, falsy.value)
    differs(bench, "a journal that fails at the first record or later, and a workflow that catches the error")
    # subtle: a RuntimeError of the workflow's own would only fail the run (R13)
    _expect_the_end(bench, values, plan, acts, 0, RuntimeError, loud=True)
    _expect_the_end(bench, values, plan, acts, seed.randint(1, len(plan) - 1), seed.choice((RuntimeError, OSError)))


def _expect_the_end(
    bench: Bench, values: Values, plan: Any, acts: Any, room: int, kind: type[Exception], loud: bool = False
) -> None:
    """A journal that has room for so many records, and a workflow that catches everything."""
    kept: list[Any] = []
    message = str(values.errors(1)[0])

    def full_disk(record: Any) -> None:
        if len(kept) == room:
            raise kind(message)
        kept.append(record)

    def stubborn(ctx: Any, order: Any) -> Any:
        for name, args in plan:
            try:
                ctx.call_activity(acts[name], *args)
            except Exception:
                continue
        if loud:
            raise RuntimeError("an error of the workflow's own")
        return "all is well"

    before = len(bench.calls)
    found = what_came_out(lambda: bench.run(stubborn, bench.state(values.run_id()), journal=full_disk))
    must = "a journal that fails ends the run, and its error reaches the caller"
    bench.expect("R1", must, f"{kind.__name__}: {message}", found)
    bench.expect("R1", "what was recorded before that, stays recorded", room, len(kept))
    ran = len(bench.calls) - before
    bench.expect("R1", "after that, no more activities run, whatever the workflow catches", room + 1, ran)


@pytest.mark.todo(1, needs=(4,))
def test_a_replay_of_a_finished_history_runs_nothing(bench: Bench, seed: Random) -> None:
    """R2"""
    values = Values(seed)
    run_id, other_id = values.run_id() + "a", values.run_id() + "b"
    quiet, still, bell, draw = values.steps(4)
    fresh = values.distinct(6)
    falsy = values.falsy()
    cut = seed.randint(2, len(falsy) - 2)
    differs(bench, "results of every falsy kind, and equal calls in any order")
    # Every falsy result has one behind it that would come if the activity ran again.
    script = {quiet: [*falsy[:cut], "again"], still: [*falsy[cut:], "again"], bell: [fresh[0]], draw: fresh[1:]}
    acts = {name: bench.activity(name, *results) for name, results in script.items()}
    same = values.arguments()
    often = [(quiet, [])] * cut + [(still, [])] * (len(falsy) - cut) + [(bell, [])] * 2 + [(draw, same)] * 3
    plan = values.mixed(often)

    def workflow(ctx: Any, order: Any) -> Any:
        return [*(ctx.call_activity(acts[name], *args) for name, args in plan), ctx.workflow_id]

    def results_of(an_id: str) -> list[Any]:
        found = [script[name].pop(0) if len(script[name]) > 1 else script[name][0] for name, _ in plan]
        return [*found, an_id]

    want = results_of(run_id)
    calls = [as_text(name, args) for name, args in plan]
    first = bench.run(workflow, bench.state(run_id))
    bench.expect_status("R2", "a run whose activities succeed is completed", "completed", first)
    bench.expect("R2", "the first run gets what the activities returned", want, first.value)
    bench.expect("R2", "the first run calls each activity once a command", calls, bench.calls)
    records, history = len(bench.journal), as_json(first.state)
    differs(bench, "a replay by the same process and by a new one")
    for how in ("by the same process", "by a new process"):
        state = first.state if how == "by the same process" else bench.restart(first.state)
        again = bench.run(workflow, state)
        bench.expect_status("R2", f"a replay {how} ends as the run did", "completed", again)
        bench.expect("R2", f"a replay {how} calls no activity", calls, bench.calls)
        bench.expect("R2", f"a replay {how} gets the recorded results", want, again.value)
        found = [len(bench.journal), as_json(again.state)]
        bench.expect("R2", f"a replay {how} records nothing", [records, history], found)
    differs(bench, "two runs on one engine")
    engine = bench.engine(journal=None)
    must = "one engine can run many customers: no run leaves anything to the next"
    other = engine.run(workflow, bench.state(other_id))
    bench.expect("R2", must, results_of(other_id), other.value)
    bench.expect("R2", must, [want, calls * 2], [engine.run(workflow, again.state).value, bench.calls])


@pytest.mark.todo(1, needs=(4,))
def test_after_a_crash_in_the_middle_only_the_rest_runs(bench: Bench, seed: Random) -> None:
    """R2, R11"""
    values = Values(seed)
    run_id, thing = values.run_id(), values.thing()
    steps = values.steps(seed.randint(4, 6))
    results = values.distinct(len(steps))
    fatal = seed.randint(1, len(steps) - 2)  # the step at which the process dies ...
    deaths = seed.randint(1, 2)  # ... so often; and once more behind a step, between two commands
    between = seed.randint(fatal, len(steps) - 2)
    number, factors = seed.randint(2, 900), [seed.randint(2, 90) for _ in steps]
    acts = [bench.activity(name, result) for name, result in zip(steps, results, strict=True)]
    acts[fatal] = bench.activity(steps[fatal], *[Crash("power cut")] * deaths, results[fatal])
    dying = [Crash("out of memory")]

    def workflow(ctx: Any, order: Any) -> Any:
        got = []
        for i, act in enumerate(acts):
            got.append(ctx.call_activity(act, order[thing] * factors[i], i))
            if i == between and dying:
                raise dying.pop()
        return got

    differs(bench, "a crash at another step, and several crashes")
    found = bench.state(run_id, {thing: number})
    for _ in range(deaths):
        found = bench.crash(workflow, found)
        must = "the journal holds just what was finished before the crash"
        bench.expect("R1", must, steps[:fatal], names(found))
    differs(bench, "a crash between two commands")
    found = bench.crash(workflow, found)
    must = "a process that dies between two commands leaves all that was finished"
    bench.expect("R1", must, steps[: between + 1], names(found))
    result = bench.run(workflow, found)
    often = [1 + deaths * (i == fatal) for i in range(len(steps))]
    calls = [as_text(name, [number * factors[i], i]) for i, name in enumerate(steps) for _ in range(often[i])]
    must = "a finished step does not run again; the one in flight does; then the rest"
    bench.expect("R2", must, calls, bench.calls)
    bench.expect_status("R2", "the run goes on to its end", "completed", result)
    bench.expect("R2", "the answer is that of a run without a crash", results, result.value)
    keys = [f"{run_id}/{i}" for i in range(len(steps)) for _ in range(often[i])]
    bench.expect("R11", "an activity in flight gets the same idempotency key again: id/position", keys, bench.keys)
    bench.expect("R6", "history has one record a command", steps, names(result.state))

    differs(bench, "activities that declare the idempotency key in another way, or not at all")

    def plain(n: int) -> int:
        return n + factors[0]

    def keyed(n: int, idempotency_key: str = "no key came") -> list[Any]:
        return [n, idempotency_key]

    other = values.run_id()
    both = bench.run(lambda c, order: [c.call_activity(plain, number), c.call_activity(keyed, 1)], bench.state(other))
    bench.expect_status("R11", "an activity that does not declare the key is called without it", "completed", both)
    want = [number + factors[0], [1, f"{other}/1"]]
    bench.expect("R11", "an activity that declares the key gets it, however it declares it", want, both.value)
