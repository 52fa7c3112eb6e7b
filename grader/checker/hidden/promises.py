"""Promises: divergence is caught, history cannot be changed, and the whole story survives."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from durable_lab.checks.bench import Bench, Crash, as_json
from grader.checker.hidden.difference import differs
from grader.checker.hidden.divergence import Story, expect_divergence
from grader.checker.hidden.observed import as_text
from grader.checker.hidden.values import DEFAULT, Values, waits


@pytest.mark.todo(1, 4, needs=(2, 3, 5))
def test_divergence_is_caught_and_nothing_runs(bench: Bench, seed: Random) -> None:
    """R3, R4"""
    story = Story(bench, Values(seed))
    differs(bench, "a history with a time and a signal in it")
    state = bench.restart(story.record())
    again = bench.run(story.version(*story.instead(story.wide, story.shuffled)), state)
    bench.expect_status("R3", "the order of the keys of an object means nothing", "completed", again)
    before, calls = as_json(state), list(bench.calls)
    once = [as_text(step[1], step[2]) for step in story.plan if step[0] == "activity"]
    bench.expect("R3", "with the same decisions as ever, each step ran once", once, calls)
    changes = story.changes()
    differs(bench, "other changes of the code, at other places")
    for name, workflow in changes.items():
        rule, _, change = name.partition(" ")
        expect_divergence(bench, rule, change, workflow, state, before, calls)
    differs(bench, "a divergence at another position")
    story.expect_both_sides(state)
    differs(bench, "the guard that compares names only")
    weak = bench.run(story.version(*story.instead(story.wide, story.deeper(story.number + 7))), state, guard="names")
    must = 'guard="names" compares kind and name only, and lets other arguments pass'
    bench.expect_status("R3", must, "completed", weak)
    weak = bench.run(story.version(*story.instead(story.pair, story.renamed(story.pair[2]))), state, guard="names")
    bench.expect_status("R3", 'guard="names" does not let another name pass', "failed", weak)
    bench.expect("R3", "nothing runs", calls, bench.calls)


@pytest.mark.todo(1, 4, 5)
def test_states_are_never_changed_and_values_are_the_same_live_and_replayed(bench: Bench, seed: Random) -> None:
    """R5, R10"""
    values = Values(seed)
    nested = _Nested(bench, values)
    differs(bench, "values nested deeper, which are changed afterwards")
    theirs = nested.fresh()
    start = bench.state(values.run_id(), theirs)
    before = as_json(start)
    live = bench.run(nested.workflow, start)
    want = nested.result()
    bench.expect("R5", "a tuple arrives as a list at once; an activity works on its own copy", want, live.value)
    bench.expect("R10", "run leaves the state that it was given as it was", before, as_json(start))
    bench.expect("R10", "run leaves the input that it was given as it was", nested.fresh(), theirs)
    must = "what the workflow does to its input does not reach the new state"
    bench.expect("R5", must, nested.fresh(), live.state.input)
    nested.expect_history(live.state)
    finished = as_json(live.state)
    _expect_replay(bench, nested.workflow, live.state, want, finished)
    differs(bench, "two signals to one state")
    fork = [bench.signal(live.state, name, values.value()) for name in values.signals(2)]
    bench.expect("R10", "signal leaves the state that it was given as it was", finished, as_json(live.state))
    found = [[new.workflow_id, new.input, len(new.commands), len(new.signals)] for new in fork]
    must = "signal returns a new state with all of the old one and the signal"
    bench.expect("R10", must, [[live.state.workflow_id, nested.fresh(), 2, 1]] * 2, found)
    _expect_replay(bench, nested.workflow, bench.restart(live.state), want, finished)
    _expect_refusals(bench, values)


class _Nested:
    """A workflow and activities that change each nested value they get."""

    def __init__(self, bench: Bench, values: Values) -> None:
        self.bench = bench
        self.take, look = values.steps(2)
        self.a, self.b, self.c = values.things(3)
        self.more = values.value()
        self.fails, self.made = values.seed.randint(1, 2), values.value()
        self.fetch = bench.activity(self.take, answer=self.taken)
        self.echo = bench.activity(look, answer=lambda value: value)

    def fresh(self) -> dict[str, Any]:
        return {self.a: {self.b: [{self.c: [1]}]}, "zz": self.more}

    def spoil(self, value: Any, word: str = "afterwards") -> Any:
        """Change a value at each depth."""
        value[self.a][self.b][0][self.c].append(word)
        value[self.a][self.b].append(word)
        value[self.a][word] = word
        return value

    def taken(self, given: Any) -> Any:
        self.spoil(given, "by the activity")
        if self.bench.calls.count(as_text(self.take, [self.fresh()])) <= self.fails:
            raise OSError("busy")
        return {"pair": (self.a, (self.b, [self.made])), "box": [{self.c: []}]}

    def workflow(self, ctx: Any, order: Any) -> Any:
        self.spoil(order, "by the workflow")
        mine = self.fresh()
        got = ctx.call_activity(self.fetch, mine)
        kinds = [type(got["pair"]).__name__, type(got["pair"][1]).__name__]
        self.spoil(mine)
        got["box"][0][self.c].append("afterwards")
        first, *rest = got["pair"]
        if isinstance(rest[0], list):
            rest[0].append("afterwards")
        box = self.spoil(ctx.call_activity(self.echo, self.fresh()))
        return [kinds, first, list(rest[0])[:2], mine, box]

    def result(self) -> list[Any]:
        """What the workflow has to return."""
        spoilt = [self.spoil(self.fresh()) for _ in range(2)]
        return [["list", "list"], self.a, [self.b, [self.made]], *spoilt]

    def expect_history(self, state: Any) -> None:
        """The records and the calls have the values as they were before any change."""
        record = {"pair": [self.a, [self.b, [self.made]]], "box": [{self.c: []}]}
        history = [[[self.fresh()], record], [[self.fresh()], self.fresh()]]
        recorded = [[list(command.args), command.value] for command in state.commands]
        must = "what is changed after it was recorded does not reach history"
        self.bench.expect("R5", must, history, recorded)
        attempts = [as_text(self.take, [self.fresh()])] * (self.fails + 1)
        must = "every attempt gets its arguments as the workflow passed them"
        self.bench.expect("R5", must, attempts, self.bench.calls[: self.fails + 1])


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
    story = _Refund(bench, Values(seed))
    differs(bench, "another order of steps, a signal that comes early, and one that nothing waits for")
    blocked = story.run_until_blocked()
    bench.expect_status("R9", "the run waits for a human", "blocked", blocked)
    bench.expect("R9", "the result says which signal it waits for", story.yes, blocked.waiting_for)
    bench.clock.sleep(story.days)
    differs(bench, "more crashes, before and after the effect")
    found = bench.signal(bench.restart(blocked.state), story.yes, {"by": story.person})
    for _ in range(story.deaths):
        found = bench.crash(story.workflow, found)
    done = bench.run(story.workflow, found)
    bench.expect_status("R2", "the run is finished by the last process", "completed", done)
    story.expect_effects(done)
    differs(bench, "a replay of the longer story")
    again = bench.run(story.workflow, bench.restart(bench.recorded(bench.state(story.run_id, story.given))))
    bench.expect_status("R2", "a replay of the finished run ends as the run did", "completed", again)
    bench.expect("R2", "a replay of the finished run has the same answer", story.answers(), again.value)
    bench.expect("R2", "a replay of the finished run causes nothing", story.calls(), bench.calls)


class _Refund:
    """Look, wait for a human, pay, write; with a bank that keeps books of its own, and processes that die there."""

    def __init__(self, bench: Bench, values: Values) -> None:
        self.bench, seed = bench, values.seed
        self.run_id, self.given = values.run_id(), {values.thing(): values.value(), "price": seed.randint(2, 10**12)}
        self.look, self.pay, self.mail = values.steps(3)
        self.yes, self.early, self.never = values.signals(3)
        self.person, self.advice, self.receipt = values.person(), values.value(), values.distinct(1)[0]
        self.errors = values.errors(seed.randint(1, 2))
        self.wait, self.days = values.span(), values.span()
        bench.clock = bench.m.SimulatedClock(moment := values.moment())
        self.begun, self.values = moment, values
        self.ledger: dict[str, Any] = {}  # the bank's books: it deduplicates on the key
        either = ("before the effect", "after the effect")
        self.dying = values.mixed([*either], [seed.choice(either)])
        self.deaths = len(self.dying)
        self.acts = {
            self.look: bench.activity(self.look, self.advice),
            self.pay: bench.activity(self.pay, answer=self.at_the_bank),
            self.mail: bench.activity(self.mail, *self.errors, None),
        }
        # The payment comes after the answer; the other steps may come anywhere.
        self.plan = [self.look, *values.mixed(["now"], [self.early], [self.yes])]
        for step in (self.pay, "now"):
            self.plan.insert(seed.randint(self.plan.index(self.yes) + 1, len(self.plan)), step)
        self.plan.append(self.mail)

    def at_the_bank(self, price: int, who: str) -> Any:
        if self.dying and self.dying[0] == "before the effect":
            raise Crash(self.dying.pop(0))
        self.ledger[str(self.bench.keys[-1])] = [price, who]
        if self.dying:
            raise Crash(self.dying.pop(0))
        return self.receipt

    def workflow(self, ctx: Any, order: Any) -> Any:
        answers: list[Any] = []
        who = ""
        for step in self.plan:
            if step == self.look:
                answers.append(ctx.call_activity(self.acts[step], order))
            elif step == self.pay:
                answers.append(ctx.call_activity(self.acts[step], order["price"], who))
            elif step == self.mail:
                answers.append(ctx.call_activity(self.acts[step], who))
            elif step == "now":
                answers.append(ctx.now())
            else:
                answers.append(ctx.wait_signal(step))
                who = answers[-1]["by"] if step == self.yes else who
        return answers

    def run_until_blocked(self) -> Any:
        """Deliver two signals before the first run; both are kept."""
        bench, start = self.bench, self.bench.state(self.run_id, self.given)
        self.hint = self.values.falsy(1)[0]
        ready = bench.signal(bench.signal(start, self.early, self.hint), self.never, self.values.value())
        bench.clock.sleep(self.wait)
        return bench.run(self.workflow, ready)

    def times(self) -> list[float]:
        """When the run looks at the clock: before it blocked, and after the answer."""
        return [self.begun + self.wait, self.begun + self.wait + self.days]

    def answers(self) -> list[Any]:
        """What the workflow has to return."""
        outcome = {self.look: self.advice, self.early: self.hint, self.yes: {"by": self.person}}
        outcome |= {self.pay: self.receipt, self.mail: None}
        answered = self.plan.index(self.yes)
        return [self.times()[i > answered] if step == "now" else outcome[step] for i, step in enumerate(self.plan)]

    def calls(self) -> list[str]:
        """The calls that have to reach the activities."""
        paid = as_text(self.pay, [self.given["price"], self.person])
        mailed = as_text(self.mail, [self.person])
        return [as_text(self.look, [self.given]), *[paid] * (self.deaths + 1), *[mailed] * (len(self.errors) + 1)]

    def expect_effects(self, done: Any) -> None:
        """The finished run, its effects outside the engine, and the time it took."""
        bench = self.bench
        bench.expect("R7", "its answer is that of a run that never died", self.answers(), done.value)
        books = {f"{self.run_id}/{self.plan.index(self.pay)}": [self.given["price"], self.person]}
        bench.expect("R11", "the other side paid once, under one key", books, self.ledger)
        must = "every step ran once, but for the one in flight and the one that was tried again"
        bench.expect("R2", must, self.calls(), bench.calls)
        ended = self.times()[1] + sum(waits(DEFAULT, len(self.errors) + 1))
        must = "time has passed for the waits between the attempts, and for nothing else"
        bench.expect("R9", must, ended, bench.clock.now())
