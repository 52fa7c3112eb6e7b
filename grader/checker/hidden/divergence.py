"""A recorded run, and the workflows that diverge from it, for the hidden variant of the divergence test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from durable_lab.checks.bench import Bench, as_json
from grader.checker.hidden.values import Values

Step = tuple[Any, ...]  # ("activity", name, arguments), ("now",) or ("signal", name)


class Story:
    """A run with steps of each kind, and workflows that diverge from it."""

    def __init__(self, bench: Bench, values: Values) -> None:
        self.bench, self.values, self.seed = bench, values, values.seed
        self.one, self.two, three, self.new_name, live = values.steps(5)
        self.signal, self.other_signal = values.signals(2)
        self.a, self.b = values.things(2)
        self.number, self.text = self.seed.randint(2, 900), f"{values.value(0)!s:.20}!"
        self.wide = self.deeper(self.number)
        shuffled = {"z": self.text, self.a: {"x": [self.number], self.b: self.number}}
        self.shuffled: Step = ("activity", self.one, [self.text, shuffled])
        self.pair: Step = ("activity", self.two, [self.text, self.number])
        self.wait: Step = ("signal", self.signal)
        middle = values.mixed([self.wide], [self.pair], [self.wait], [("now",)])
        self.plan: list[Step] = [*middle, ("activity", three, [])]
        self.tail: Step = ("activity", live, [])  # after all that is recorded: it would run
        names = (self.one, self.two, three, self.new_name, live, self.signal, "now")
        self.acts = {name: bench.activity(name) for name in names}

    def deeper(self, value: Any) -> Step:
        """The wide step, with a value deep in its second argument."""
        return ("activity", self.one, [self.text, {self.a: {self.b: value, "x": [self.number]}, "z": self.text}])

    def renamed(self, args: list[Any]) -> Step:
        return ("activity", self.new_name, args)

    def do(self, ctx: Any, step: Step) -> Any:
        match step:
            case ("activity", name, args):
                return ctx.call_activity(self.acts[name], *args)
            case ("signal", name):
                return ctx.wait_signal(name)
        return ctx.now()

    def version(self, *steps: Step, ending: Callable[[], Any] = lambda: None, careless: bool = False) -> Any:
        """A workflow with these steps. `careless`: it continues after any error."""

        def workflow(ctx: Any, order: Any) -> Any:
            for step in steps:
                try:
                    self.do(ctx, step)
                except Exception:
                    if not careless:
                        raise
            return ending()

        return workflow

    def instead(self, old: Step, *new: Step) -> list[Step]:
        """The steps of the plan, with one replaced."""
        at = self.plan.index(old)
        return [*self.plan[:at], *new, *self.plan[at + 1 :]]

    def record(self) -> Any:
        """Run the plan to its end. Returns the state."""
        bench, values = self.bench, self.values
        start = bench.run(self.version(*self.plan), bench.state(values.run_id(), values.value()))
        must = "a run whose signal has not come has not diverged: it waits"
        bench.expect_status("R3", must, "blocked", start)
        first = bench.run(self.version(*self.plan), bench.signal(start.state, self.signal, values.value()))
        must = "a workflow that asks for what it always asked for is completed"
        bench.expect_status("R3", must, "completed", first)
        return first.state

    def changes(self) -> dict[str, Any]:
        """Workflows that diverge, by the rule and what was changed."""
        seed, plan, number, text = self.seed, self.plan, self.number, self.text

        def changed(old: Step, *new: Step) -> Any:
            return self.version(*self.instead(old, *new), self.tail)

        swapped = list(plan)
        at = seed.randrange(len(plan) - 1)
        swapped[at], swapped[at + 1] = swapped[at + 1], swapped[at]
        short = plan[: seed.randint(1, len(plan) - 1)]
        gone = plan[seed.randrange(len(plan) - 1)]
        other_value = seed.choice((number + 1, str(number), None, [number]))
        other_count = seed.choice(([text], [text, number, None], []))
        other_kind: Step = seed.choice((("activity", self.signal, []), ("now",)))
        careless = self.version(self.renamed([number]), *plan, self.tail, ending=lambda: "fine", careless=True)
        return {
            "R3 a renamed activity": changed(self.pair, self.renamed(self.pair[2])),
            "R3 another value deep in an argument": changed(self.wide, self.deeper(other_value)),
            "R3 a float where history has an integer": changed(self.wide, self.deeper(float(number))),
            "R3 two arguments in another order": changed(self.pair, ("activity", self.two, [number, text])),
            "R3 one argument less, or one more": changed(self.pair, ("activity", self.two, other_count)),
            "R3 an activity instead of now": changed(("now",), ("activity", "now", [])),
            "R3 an activity, or now, instead of a signal": changed(self.wait, other_kind),
            "R3 a signal instead of an activity": changed(plan[-1], ("signal", plan[-1][1])),
            "R3 another signal": changed(self.wait, ("signal", self.other_signal)),
            "R3 two steps in another order": self.version(*swapped, self.tail),
            "R3 a step removed": changed(gone),
            "R4 an early return": self.version(*short),
            "R4 an empty workflow": self.version(),
            "R4 an early failure": self.version(*short, ending=_give_up),
            "R3 a change whose error is swallowed": careless,
        }

    def expect_both_sides(self, state: Any) -> None:
        """The error says where the divergence is, and what is on each side."""
        at = self.seed.choice([i for i, step in enumerate(self.plan) if step != ("now",)])
        asked, seen = self.renamed([self.number]), []

        def witness(ctx: Any, order: Any) -> Any:
            for step in self.plan[:at]:
                self.do(ctx, step)
            try:
                self.do(ctx, asked)
            except self.bench.m.NonDeterminismError as error:
                seen.extend([error.position, error.recorded.kind, error.recorded.name, error.issued.name])
                seen.append(asked[1] in str(error))
                raise

        self.bench.run(witness, state)
        want = [at, *self.plan[at][:2], asked[1], True]
        must = "the error says where, what is recorded, what was issued, and the text names it"
        self.bench.expect("R3", must, want, seen)


def _give_up() -> None:
    raise RuntimeError("gave up")


def expect_divergence(
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
