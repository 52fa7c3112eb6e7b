"""Promises: divergence is caught, history cannot be changed, and the whole story survives."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from durable_lab.checks.bench import Bench, Crash, as_json
from grader.checker.hidden.difference import differs
from grader.checker.hidden.observed import as_text
from grader.checker.hidden.values import DEFAULT, Values, waits

Step = tuple[Any, ...]  # ("activity", name, arguments), ("now",) or ("signal", name)


@pytest.mark.todo(1, 4, needs=(2, 3, 5))
def test_divergence_is_caught_and_nothing_runs(bench: Bench, seed: Random) -> None:
    """R3, R4"""
    values = Values(seed)
    one, two, three, renamed, live = values.steps(5)
    signal, other_signal = values.signals(2)
    a, b = values.things(2)
    number, text = seed.randint(2, 900), f"{values.value(0)!s:.20}!"
    wide: Step = ("activity", one, [text, {a: {b: number, "x": [number]}, "z": text}])
    pair: Step = ("activity", two, [text, number])
    wait: Step = ("signal", signal)
    middle = values.mixed([wide], [pair], [wait], [("now",)])
    plan = [*middle, ("activity", three, [])]
    tail: Step = ("activity", live, [])  # behind all that is recorded: it would run
    acts = {name: bench.activity(name) for name in (one, two, three, renamed, live, signal, "now")}

    def do(ctx: Any, step: Step) -> Any:
        match step:
            case ("activity", name, args):
                return ctx.call_activity(acts[name], *args)
            case ("signal", name):
                return ctx.wait_signal(name)
        return ctx.now()

    def version(*steps: Step, ending: Callable[[], Any] = lambda: None, careless: bool = False) -> Any:
        def workflow(ctx: Any, order: Any) -> Any:
            for step in steps:
                try:
                    do(ctx, step)
                except Exception:
                    if not careless:
                        raise
            return ending()

        return workflow

    def give_up() -> None:
        raise RuntimeError("gave up")

    def instead(old: Step, *new: Step) -> list[Step]:
        at = plan.index(old)
        return [*plan[:at], *new, *plan[at + 1 :]]

    differs(bench, "a history with a time and a signal in it")
    start = bench.run(version(*plan), bench.state(values.run_id(), values.value()))
    bench.expect_status("R3", "a run whose signal has not come has not diverged: it waits", "blocked", start)
    first = bench.run(version(*plan), bench.signal(start.state, signal, values.value()))
    bench.expect_status("R3", "a workflow that asks for what it always asked for is completed", "completed", first)
    shuffled: Step = ("activity", one, [text, {"z": text, a: {"x": [number], b: number}}])
    state = bench.restart(first.state)
    again = bench.run(version(*instead(wide, shuffled)), state)
    bench.expect_status("R3", "the order of the keys of an object means nothing", "completed", again)
    before, calls = as_json(state), list(bench.calls)
    once = [as_text(step[1], step[2]) for step in plan if step[0] == "activity"]
    bench.expect("R3", "with the same decisions as ever, each step ran once", once, calls)

    def changed(old: Step, *new: Step) -> Any:
        return version(*instead(old, *new), tail)

    def deeper(found: Any) -> Step:
        return ("activity", one, [text, {a: {b: found, "x": [number]}, "z": text}])

    swapped = list(plan)
    at = seed.randrange(len(plan) - 1)
    swapped[at], swapped[at + 1] = swapped[at + 1], swapped[at]
    short = plan[: seed.randint(1, len(plan) - 1)]
    gone = plan[seed.randrange(len(plan) - 1)]
    other_value = seed.choice((number + 1, str(number), None, [number]))
    other_count = seed.choice(([text], [text, number, None], []))
    other_kind: Step = seed.choice((("activity", signal, []), ("now",)))
    changes: dict[str, Any] = {
        "R3 a renamed activity": changed(pair, ("activity", renamed, pair[2])),
        "R3 another value deep in an argument": changed(wide, deeper(other_value)),
        "R3 a float where history has an integer": changed(wide, deeper(float(number))),
        "R3 two arguments in another order": changed(pair, ("activity", two, [number, text])),
        "R3 one argument less, or one more": changed(pair, ("activity", two, other_count)),
        "R3 an activity instead of now": changed(("now",), ("activity", "now", [])),
        "R3 an activity, or now, instead of a signal": changed(wait, other_kind),
        "R3 a signal instead of an activity": changed(plan[-1], ("signal", three)),
        "R3 another signal": changed(wait, ("signal", other_signal)),
        "R3 two steps in another order": version(*swapped, tail),
        "R3 a step removed": changed(gone),
        "R4 an early return": version(*short),
        "R4 an empty workflow": version(),
        "R4 an early failure": version(*short, ending=give_up),
        "R3 a change whose error is swallowed": version(
            ("activity", renamed, [number]), *plan, tail, ending=lambda: "fine", careless=True
        ),
    }
    differs(bench, "other changes of the code, at other places")
    for name, workflow in changes.items():
        rule, _, change = name.partition(" ")
        _expect_divergence(bench, rule, change, workflow, state, before, calls)
    differs(bench, "a divergence at another position")
    places = [i for i, step in enumerate(plan) if step != ("now",)]
    _expect_both_sides(bench, do, plan, ("activity", renamed, [number]), state, seed.choice(places))
    differs(bench, "the guard that compares names only")
    weak = bench.run(version(*instead(wide, deeper(number + 7))), state, guard="names")
    must = 'guard="names" compares kind and name only, and lets other arguments pass'
    bench.expect_status("R3", must, "completed", weak)
    weak = bench.run(version(*instead(pair, ("activity", renamed, pair[2]))), state, guard="names")
    bench.expect_status("R3", 'guard="names" does not let another name pass', "failed", weak)
    bench.expect("R3", "nothing runs", calls, bench.calls)


def _expect_divergence(
    bench: Bench, rule: str, change: str, workflow: Any, state: Any, before: Any, calls: list[str]
) -> None:
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


def _expect_both_sides(bench: Bench, do: Any, plan: list[Step], asked: Step, state: Any, at: int) -> None:
    """The error says where, and what stands on each side."""
    seen: list[Any] = []

    def witness(ctx: Any, order: Any) -> Any:
        for step in plan[:at]:
            do(ctx, step)
        try:
            do(ctx, asked)
        except bench.m.NonDeterminismError as error:
            seen.extend([error.position, error.recorded.kind, error.recorded.name, error.issued.name])
            seen.append(asked[1] in str(error))
            raise

    bench.run(witness, state)
    want = [at, *plan[at][:2], asked[1], True]
    must = "the error says where, what is recorded, what was issued, and the text names it"
    bench.expect("R3", must, want, seen)


@pytest.mark.todo(1, 4, 5)
def test_states_are_never_changed_and_values_are_the_same_live_and_replayed(bench: Bench, seed: Random) -> None:
    """R5, R10"""
    values = Values(seed)
    take, look = values.steps(2)
    a, b, c = values.things(3)
    more = values.value()

    def fresh() -> dict[str, Any]:
        return {a: {b: [{c: [1]}]}, "zz": more}

    def spoil(value: Any, word: str) -> None:
        value[a][b][0][c].append(word)
        value[a][b].append(word)
        value[a][word] = word

    fails = seed.randint(1, 2)
    made = values.value()

    def taken(given: Any) -> Any:
        spoil(given, "by the activity")
        if bench.calls.count(as_text(take, [fresh()])) <= fails:
            raise OSError("busy")
        return {"pair": (a, (b, [made])), "box": [{c: []}]}

    fetch = bench.activity(take, answer=taken)
    echo = bench.activity(look, answer=lambda value: value)

    def workflow(ctx: Any, order: Any) -> Any:
        spoil(order, "by the workflow")
        mine = fresh()
        got = ctx.call_activity(fetch, mine)
        kinds = [type(got["pair"]).__name__, type(got["pair"][1]).__name__]
        spoil(mine, "afterwards")
        got["box"][0][c].append("afterwards")
        first, *rest = got["pair"]
        if isinstance(rest[0], list):
            rest[0].append("afterwards")
        box = ctx.call_activity(echo, fresh())
        spoil(box, "afterwards")
        return [kinds, first, list(rest[0])[:2], mine, box]

    differs(bench, "values nested deeper, which are changed afterwards")
    theirs = fresh()
    start = bench.state(values.run_id(), theirs)
    before = as_json(start)
    live = bench.run(workflow, start)
    spoilt = [fresh(), fresh()]
    spoil(spoilt[0], "afterwards")
    spoil(spoilt[1], "afterwards")
    want = [["list", "list"], a, [b, [made]], *spoilt]
    bench.expect("R5", "a tuple arrives as a list at once; an activity works on its own copy", want, live.value)
    bench.expect("R10", "run leaves the state that it was given as it was", before, as_json(start))
    bench.expect("R10", "run leaves the input that it was given as it was", fresh(), theirs)
    must = "what the workflow does to its input does not reach the new state"
    bench.expect("R5", must, fresh(), live.state.input)
    record = {"pair": [a, [b, [made]]], "box": [{c: []}]}
    history = [[[fresh()], record], [[fresh()], fresh()]]
    recorded = [[list(command.args), command.value] for command in live.state.commands]
    bench.expect("R5", "what is changed after it was recorded does not reach history", history, recorded)
    attempts = [as_text(take, [fresh()])] * (fails + 1)
    bench.expect(
        "R5", "every attempt gets its arguments as the workflow passed them", attempts, bench.calls[: fails + 1]
    )
    finished = as_json(live.state)
    _expect_replay(bench, workflow, live.state, want, finished)
    differs(bench, "two signals to one state")
    fork = [bench.signal(live.state, name, values.value()) for name in values.signals(2)]
    bench.expect("R10", "signal leaves the state that it was given as it was", finished, as_json(live.state))
    found = [[new.workflow_id, new.input, len(new.commands), len(new.signals)] for new in fork]
    must = "signal returns a new state with all of the old one and the signal"
    bench.expect("R10", must, [[live.state.workflow_id, fresh(), 2, 1]] * 2, found)
    _expect_replay(bench, workflow, bench.restart(live.state), want, finished)
    _expect_refusals(bench, values)


def _expect_replay(bench: Bench, workflow: Any, state: Any, want: Any, finished: Any) -> None:
    replayed = bench.run(workflow, state)
    bench.expect_status("R5", "a replay ends as the live run did", "completed", replayed)
    bench.expect("R5", "replayed values are those of the live run", want, replayed.value)
    must = "a replay leaves the state as it was, whatever the workflow does to what it gets"
    bench.expect("R10", must, finished, as_json(state))


def _expect_refusals(bench: Bench, values: Values) -> None:
    """Values that JSON cannot carry, as a result, as an argument, as a payload."""
    differs(bench, "other values that JSON cannot carry, at other places")
    seed = values.seed
    name, key, event = values.step(), f"{values.thing()}_{seed.randint(1, 99)}", values.signal()
    nan, infinite = float("nan"), seed.choice((float("inf"), -float("inf")))
    numbered = {seed.randint(1, 9): "a number as a key"}
    bad = {"NaN": nan, "a key that is no text": numbered, "infinity": infinite, "a set": {1, 2}}

    def wrapped(value: Any) -> Any:
        return seed.choice(({"ok": 1, key: value}, [0, {key: value}], {"in": {key: [value]}}))

    act = bench.activity(name, *(wrapped(value) for value in bad.values()))

    def unfit(ctx: Any, order: Any) -> Any:
        try:
            return ctx.call_activity(act)
        except bench.m.ActivityError as error:
            return [error.attempts, key in str(error)]

    for what in bad:
        refused = bench.run(unfit, bench.state(values.run_id()))
        must = f"a result that JSON cannot carry ({what}) is a final failure that names the place"
        bench.expect("R5", must, [1, True], refused.value)
    calls, start = len(bench.calls), bench.state(values.run_id())
    offers: dict[str, tuple[str, Callable[[Any], Any]]] = {
        "an argument": (name, lambda value: bench.run(lambda c, _: c.call_activity(act, 1, value), start)),
        "a payload": (event, lambda value: bench.signal(start, event, value)),
    }
    for what, (whose, offer) in offers.items():
        for kind in seed.sample([*bad], 2):
            try:
                offer(wrapped(bad[kind]))
                found = "it was accepted"
            except (TypeError, ValueError) as error:
                text = str(error)
                found = "refused, with name and place" if whose in text and key in text else text
            must = f"{what} that JSON cannot carry ({kind}) is refused"
            bench.expect("R5", must, "refused, with name and place", found)
    bench.expect("R5", "the activity does not run with an argument that cannot be recorded", calls, len(bench.calls))


@pytest.mark.todo(1, 2, 3, 4, 5)
def test_the_refund_story_survives_kill_and_resume(bench: Bench, seed: Random) -> None:
    """R1 to R11, together"""
    values = Values(seed)
    run_id, given = values.run_id(), {values.thing(): values.value(), "price": seed.randint(2, 10**12)}
    look, pay, mail = values.steps(3)
    yes, early, never = values.signals(3)
    person, advice, receipt = values.person(), values.value(), values.distinct(1)[0]
    errors = values.errors(seed.randint(1, 2))
    wait, days = values.span(), values.span()
    bench.clock = bench.m.SimulatedClock(begun := values.moment())
    ledger: dict[str, Any] = {}  # the other side's own books: it deduplicates on the key
    deaths = values.mixed(
        ["before the effect", "after the effect"], [seed.choice(("before the effect", "after the effect"))]
    )
    dying = list(deaths)

    def at_the_bank(price: int, who: str) -> Any:
        if dying and dying[0] == "before the effect":
            raise Crash(dying.pop(0))
        ledger[str(bench.keys[-1])] = [price, who]
        if dying:
            raise Crash(dying.pop(0))
        return receipt

    assess, transfer = bench.activity(look, advice), bench.activity(pay, answer=at_the_bank)
    write = bench.activity(mail, *errors, None)
    # The payment comes behind the answer; the rest may come anywhere.
    plan = [look, *values.mixed(["now"], [early], [yes])]
    plan.insert(seed.randint(plan.index(yes) + 1, len(plan)), pay)
    plan.insert(seed.randint(plan.index(yes) + 1, len(plan)), "now")
    plan.append(mail)

    def workflow(ctx: Any, order: Any) -> Any:
        answers: list[Any] = []
        who = ""
        for step in plan:
            if step == look:
                answers.append(ctx.call_activity(assess, order))
            elif step == pay:
                answers.append(ctx.call_activity(transfer, order["price"], who))
            elif step == mail:
                answers.append(ctx.call_activity(write, who))
            elif step == "now":
                answers.append(ctx.now())
            else:
                answers.append(ctx.wait_signal(step))
                who = answers[-1]["by"] if step == yes else who
        return answers

    differs(bench, "another order of steps, a signal that comes early, and one that nothing waits for")
    start = bench.state(run_id, given)
    hint = values.falsy(1)[0]
    ready = bench.signal(bench.signal(start, early, hint), never, values.value())  # before the first run: kept
    bench.clock.sleep(wait)
    blocked = bench.run(workflow, ready)
    bench.expect_status("R9", "the run waits for a human", "blocked", blocked)
    bench.expect("R9", "the result says which signal it waits for", yes, blocked.waiting_for)
    bench.clock.sleep(days)
    differs(bench, "more crashes, before and after the effect")
    found = bench.signal(bench.restart(blocked.state), yes, {"by": person})
    for _ in deaths:
        found = bench.crash(workflow, found)
    done = bench.run(workflow, found)
    bench.expect_status("R2", "the run is finished by the last process", "completed", done)
    times = [begun + wait, begun + wait + days]
    looks = iter([times[step_is_late] for step_is_late in _late(plan, yes)])
    outcome = {look: advice, early: hint, yes: {"by": person}, pay: receipt, mail: None}
    want = [next(looks) if step == "now" else outcome[step] for step in plan]
    bench.expect("R7", "its answer is that of a run that never died", want, done.value)
    books = {f"{run_id}/{plan.index(pay)}": [given["price"], person]}
    bench.expect("R11", "the other side paid once, under one key", books, ledger)
    once = [as_text(look, [given])]
    paid = [as_text(pay, [given["price"], person])] * (len(deaths) + 1)
    mailed = [as_text(mail, [person])] * (len(errors) + 1)
    must = "every step ran once, but for the one in flight and the one that was tried again"
    bench.expect("R2", must, once + paid + mailed, bench.calls)
    ended = times[1] + sum(waits(DEFAULT, len(errors) + 1))
    bench.expect(
        "R9", "time has passed for the waits between the attempts, and for nothing else", ended, bench.clock.now()
    )
    differs(bench, "a replay of the longer story")
    again = bench.run(workflow, bench.restart(bench.recorded(bench.state(run_id, given))))
    bench.expect_status("R2", "a replay of the finished run ends as the run did", "completed", again)
    bench.expect("R2", "a replay of the finished run has the same answer", want, again.value)
    bench.expect("R2", "a replay of the finished run causes nothing", once + paid + mailed, bench.calls)


def _late(plan: list[str], answer: str) -> list[bool]:
    """For each look at the clock, in order: is it behind the wait for the answer?"""
    return [i > plan.index(answer) for i, step in enumerate(plan) if step == "now"]
