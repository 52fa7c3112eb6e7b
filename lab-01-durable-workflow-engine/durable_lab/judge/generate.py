"""Programs from a seed. Each theme makes programs in which one kind of mistake shows; all else in them is random."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count, cycle, islice
from random import Random
from typing import Any

from durable_lab.judge.program import START, Activity, Program, Step

PUBLIC = "public"  # the seed of the programs that everybody may see
ACTIVITIES = ("reserve", "charge", "ship", "notify", "book", "assess", "pack", "refund", "cancel", "confirm")
SIGNALS = ("approval", "go", "stop", "note", "paid", "answer")
IDS = ("order-7", "w/1", "refund 12", "a:b", "Kim", "r-0001", "order/7/2")
FALSY: tuple[Any, ...] = (None, 0, "", False, [], {}, 0.0)
TEXTS = (
    *("two\nlines", "a: b", "Shop: closed: again", " spaces ", "UPPER lower", "Straße", "", "\ud800", "tab\t", "null"),
    *("1", "[]", '"quoted"', "\n", "emoji \U0001f600", "x" * 300, "None", ": ", "Error: no"),
)
VALUES: tuple[Any, ...] = (
    *("ok", 7, -1, 2.5, True, 1e300, 2**60, [1, [2, {"k": None}]], {"b": 1, "a": [True, 0]}, {"id": "A1", "n": 30}),
    *(1.0, 1, [], {"!": "tuple", "of": [1, {"!": "tuple", "of": []}]}, [None], {"x": {"y": {}}}),
)
INPUTS: tuple[Any, ...] = (*FALSY, "A1", 7, {"id": "A1", "items": [{"n": 1}]}, [[1], "x"], True)
UNRECORDABLE = tuple({"!": name} for name in ("nan", "inf", "bytes", "set", "number key", "object"))
ERRORS = ("OSError", "ValueError", "KeyError", "RuntimeError", "TimeoutError", "ZeroDivisionError")
BASES = {"OSError": "OSError", "ValueError": "ValueError", "KeyError": "LookupError", "RuntimeError": "RuntimeError"}
BASES |= {"TimeoutError": "OSError", "ZeroDivisionError": "Exception"}
CRASH = ["Crash", "the process is killed"]
INTERRUPTS = (CRASH, ["KeyboardInterrupt", "stopped by hand"])
FAILURES = (["OSError", "disk full"], ["RuntimeError", "disk: full"], ["ValueError", "no such disk"], *INTERRUPTS)


class Maker:
    """Random parts of one program. Names do not repeat unless a theme repeats them."""

    def __init__(self, seed: str) -> None:
        self.seed, self.random = seed, Random(seed)
        self.activities: dict[str, Activity] = {}
        self._names = iter(self.random.sample(ACTIVITIES, len(ACTIVITIES)))
        self.signals = self.random.sample(SIGNALS, len(SIGNALS))

    # ------------------------------------------------------------ values

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def value(self, odd: float = 0.3) -> Any:
        pool = (TEXTS, FALSY) if self.chance(odd) else (VALUES,)
        return self.random.choice(self.random.choice(pool))

    def text(self) -> str:
        return self.random.choice(TEXTS)

    def seconds(self) -> float:
        return self.random.choice((0.0, 0.125, 3.75, 61.5, 0.001, 7e6))

    def policy(self, attempts: int | None = None) -> dict[str, Any]:
        return {
            "max_attempts": attempts or self.random.randint(1, 4),
            "initial_interval": self.random.choice((0.0, 0.5, 1.0, 3.0, 10.0)),
            "backoff": self.random.choice((1.0, 1.5, 2.0, 3.0, 10.0)),
            "max_interval": self.random.choice((1.25, 4.0, 50.0, 100.0)),
        }

    # ------------------------------------------------------------ steps

    def name(self, outcomes: list[list[Any]] | None = None, **fields: Any) -> str:
        """A new activity with these outcomes; one random result if none are given."""
        made = next(self._names, None) or f"step_{len(self.activities)}"
        fields.setdefault("takes_key", self.chance(0.5))
        fields.setdefault("seconds", self.seconds() if self.chance(0.3) else 0.0)
        self.activities[made] = Activity(outcomes or [["ok", self.value()]], **fields)
        return made

    def call(
        self, outcomes: list[list[Any]] | None = None, policy: dict[str, Any] | None = None, **fields: Any
    ) -> Step:
        arguments = [self.value() for _ in range(self.random.randint(0, 2))]
        return ["call", self.name(outcomes, **fields), arguments, policy or {}]

    def error(self) -> list[Any]:
        return ["raise", self.random.choice(ERRORS), self.text() if self.chance(0.5) else "no answer"]

    def flaky(self, failures: int, attempts: int | None = None) -> Step:
        """A call that fails so often, and then succeeds."""
        errors = [self.error() for _ in range(failures)]
        return self.call([*errors, ["ok", self.value()]], self.policy(attempts or failures + self.random.randint(1, 2)))

    def failing(self) -> Step:
        """A call that fails for good, and would succeed if it were tried again later."""
        policy = self.policy(self.random.randint(1, 3))
        errors = [self.error() for _ in range(policy["max_attempts"])]
        return self.call([*errors, ["ok", "too late"]], policy)

    def command(self) -> Step:
        kind = self.random.choice(("call", "call", "call", "now", "flaky"))
        return ["now"] if kind == "now" else self.flaky(1) if kind == "flaky" else self.call()

    def commands(self, least: int, most: int) -> list[Step]:
        return [self.command() for _ in range(self.random.randint(least, most))]

    def crash(self, most: int, who: list[Any] | None = None) -> list[Any]:
        """A fault at a random crossing."""
        return ["any", self.random.randrange(most), *(who or CRASH)]

    # ------------------------------------------------------------ programs

    def program(self, steps: list[Step], plan: list[list[Any]], **fields: Any) -> Program:
        fields.setdefault("workflow_id", self.random.choice(IDS))
        fields.setdefault("input", self.random.choice(INPUTS))
        fields.setdefault("start", START + self.random.choice((0.0, 0.0625, 1.7e9)))
        fields.setdefault("one_engine", self.chance(0.3))
        return Program(self.seed, steps, plan, activities=self.activities, **fields)


Theme = Callable[[Maker], Program]
THEMES: list[Theme] = []
RUN: list[Any] = ["run"]
REPLAY = [["restart"], RUN]


def theme(make: Theme) -> Theme:
    """Add a theme to the list."""
    THEMES.append(make)
    return make


def generate(seed: str) -> Iterator[Program]:
    """Yield programs without an end: each theme in turn."""
    for number, make in zip(count(), cycle(THEMES)):
        yield make(Maker(f"{seed}/{number}"))


def programs(seed: str = PUBLIC, how_many: int | None = None) -> list[Program]:
    """Return the first programs of a seed; as many as a submission is judged by, if no number is given."""
    return list(islice(generate(seed), PROGRAMS if how_many is None else how_many))


def run(code: int = 1, fault: list[Any] | None = None) -> list[Any]:
    """Return the action of a run."""
    return ["run", {"code": code, "fault": fault}] if fault else ["run", {"code": code}] if code > 1 else ["run"]


# ---------------------------------------------------------------- history and crashes


@theme
def a_story(m: Maker) -> Program:
    """Steps, a wait, more steps, and a replay."""
    name = m.signals[0]
    steps = [*m.commands(1, 3), ["wait", name], *m.commands(1, 3)]
    early = m.chance(0.4)
    middle = [["signal", name, m.value()]] if early else [RUN, ["pass", m.seconds()], ["signal", name, m.value()]]
    return m.program(steps, [*middle, *([["restart"]] if m.chance(0.5) else []), RUN, *REPLAY])


@theme
def a_crash(m: Maker) -> Program:
    """The process is killed somewhere; a new one goes on."""
    steps = m.commands(2, 4)
    return m.program(steps, [run(fault=m.crash(4 * len(steps))), ["pass", m.seconds()], RUN, RUN, *REPLAY])


@theme
def two_crashes(m: Maker) -> Program:
    """Killed, and killed again in the recovery."""
    steps = [m.call(takes_key=True), *m.commands(1, 2), m.flaky(2)]
    return m.program(steps, [run(fault=m.crash(10)), run(fault=m.crash(8)), RUN, *REPLAY])


@theme
def keys(m: Maker) -> Program:
    """The same activity several times, in a loop, with keys; killed after an effect."""
    again = m.call([["ok", 1], ["ok", 2], ["ok", 3], ["ok", 4]], takes_key=True)
    steps: list[Step] = [["loop", m.random.randint(2, 3), [again]], *m.commands(0, 1), m.call(takes_key=True)]
    return m.program(steps, [run(fault=m.crash(9)), RUN, *REPLAY])


# ---------------------------------------------------------------- attempts


@theme
def retries(m: Maker) -> Program:
    """Attempts that fail, and then one that succeeds; pauses that grow up to their limit."""
    failures = m.random.randint(2, 4)
    steps = [m.flaky(failures, failures + 1), *m.commands(0, 2)]
    return m.program(steps, [RUN, *REPLAY])


@theme
def given_up(m: Maker) -> Program:
    """All attempts fail; the workflow compensates; a replay takes the same branch."""
    body, undo = [m.call(), m.failing(), m.call()], [m.call(), *m.commands(0, 1)]
    steps = [["try", body, m.random.choice(("activity", "exception")), undo], *m.commands(0, 1)]
    return m.program(steps, [run(fault=m.crash(16)) if m.chance(0.5) else RUN, RUN, *REPLAY])


@theme
def a_failed_run(m: Maker) -> Program:
    """All attempts fail, and so does the run; a replay fails in the same way."""
    retry = m.policy()
    bad = m.call([*[m.error() for _ in range(retry["max_attempts"])], ["ok", "late"]])
    return m.program([*m.commands(0, 2), bad, m.call()], [RUN, RUN, *REPLAY], retry=retry)


@theme
def final_errors(m: Maker) -> Program:
    """Some errors are not retried: named by their class or by a class above it."""
    error = m.random.choice(ERRORS)
    final = m.random.choice(([error], [BASES[error]], ["KeyError", error], ["TimeoutError"]))
    policy = m.policy(3) | {"non_retryable": final}
    outcomes = [["raise", error, m.text()], ["raise", m.random.choice(ERRORS), "second"], ["ok", "third"]]
    body = [["try", [m.call(outcomes, policy)], "activity", [m.call()]]]
    return m.program(body, [RUN, *REPLAY])


@theme
def crashes_between_attempts(m: Maker) -> Program:
    """Killed during an attempt or a pause: the command starts again, with its key."""
    steps = [
        *m.commands(0, 1),
        m.call([m.error(), m.error(), ["ok", m.value()]], m.policy(3), takes_key=True),
        m.call(),
    ]
    return m.program(steps, [run(fault=m.crash(9)), RUN, *REPLAY])


# ---------------------------------------------------------------- values


@theme
def falsy_values(m: Maker) -> Program:
    """Results and payloads that are empty are results and payloads."""
    name, falsy = m.signals[0], [*m.random.sample(FALSY, 4)]
    steps = [m.call([["ok", falsy[0]], ["ok", "another"]]), ["unless", [m.call([["ok", falsy[1]], ["ok", "another"]])]]]
    steps += [["wait", name], ["unless", [["wait", name]]], m.call()]
    plan = [["signal", name, falsy[2]], run(fault=m.crash(10)), ["signal", name, falsy[3]], RUN, *REPLAY]
    return m.program(steps, plan, input=m.random.choice(FALSY))


@theme
def odd_texts(m: Maker) -> Program:
    """Texts of any shape in arguments, results, errors, payloads and names."""
    name = m.text() or "an answer"
    bad = m.call([["raise", m.random.choice(ERRORS), m.text()]], m.policy(1))
    bad2 = m.call([["raise", m.random.choice(ERRORS), m.text()], ["raise", "OSError", m.text()]], m.policy(2))
    odd = m.call([["ok", m.text()]])
    odd[2] = [m.text(), {m.text(): m.text()}]
    steps: list[Step] = [
        ["try", [bad], "activity", []],
        ["wait", name],
        odd,
        ["try", [bad2], "exception", [["call", "undo", [m.text()]]]],
    ]
    steps += [["raise", "RuntimeError", m.text()]] if m.chance(0.5) else []
    return m.program(steps, [["signal", name, m.text()], RUN, *REPLAY], workflow_id=m.text() or "w", input=m.text())


@theme
def not_recordable(m: Maker) -> Program:
    """What JSON cannot carry: arguments before the activity runs, results as a final failure."""
    bad: Any = m.random.choice(UNRECORDABLE)
    shapes: list[Any] = [bad, [1, bad], {"k": bad}]
    bad = m.random.choice(shapes)
    refused = m.call()
    refused[2] = m.random.choice(([bad], ["fine", bad]))
    result = m.call(
        [["ok", bad], ["ok", "second"]] if m.chance(0.6) else [m.error(), ["ok", bad], ["ok", 3]], m.policy(3)
    )
    catches = m.random.choice(("exception", "all"))
    steps = [m.call(), ["try", [refused], catches, []], ["try", [result], "activity", [m.call()]], m.call()]
    plan = [["signal", "go", bad], RUN, *REPLAY]
    if m.chance(0.3):
        return m.program([m.call(), refused], [RUN, RUN])
    return m.program(steps, plan)


@theme
def changed_values(m: Maker) -> Program:
    """The workflow and its activities change what they were given: history does not change."""
    box: list[Any] = [[], {"items": ["pen"]}, [1], {"!": "tuple", "of": [[1]]}]
    first, second = (m.call([["ok", m.random.choice(box)]], changes_arguments=True) for _ in range(2))
    first[2], second[2] = [m.random.choice(box[:3])], [{"$": "last"}, {"$": "input"}]
    third = m.call([m.error(), ["ok", m.random.choice(box)]], m.policy(2), changes_arguments=True)
    third[2] = [m.random.choice(box[:3])]
    steps = [["change", "input"], first, ["change", "value"], ["change", "arguments"], second, ["change", "value"]]
    steps += [["wait", "go"], ["change", "value"], third, ["change", "arguments"], ["change", "value"]]
    plan = [RUN, ["signal", "go", m.random.choice(box[:3])], RUN, RUN, *REPLAY]
    return m.program(steps, plan, input={"order": ["A1"]})


# ---------------------------------------------------------------- time


@theme
def times(m: Maker) -> Program:
    """The time is read once, and is the same afterwards, however the clock goes."""
    steps = [
        ["now"],
        m.call(seconds=m.random.choice((0.3, 4.7, 86400.1))),
        ["now"],
        m.flaky(1),
        ["now"],
        *m.commands(0, 1),
    ]
    plan = [run(fault=m.crash(14)), ["pass", m.random.choice((86400.3, -500.2, 0.017))], RUN, ["pass", -3.3], *REPLAY]
    return m.program(steps, plan, start=m.random.choice((0.0, 1000.26, 1.7e9 + 0.123456, 5e-324)))


@theme
def a_moving_clock(m: Maker) -> Program:
    """The clock moves at each reading."""
    steps = [*m.commands(0, 1), ["now"], m.flaky(1), ["now"], ["wait", "go"], ["now"]]
    plan = [RUN, ["signal", "go", m.value()], RUN, *REPLAY]
    return m.program(steps, plan, tick=m.random.choice((0.37, 60.1, -0.59)))


@theme
def the_clock_fails(m: Maker) -> Program:
    """The clock fails inside ctx.now(), and the workflow catches that: the run does not go on."""
    first = [["now"]] if m.chance(0.4) else m.commands(0, 1)
    fault = ["clock", sum(step == ["now"] for step in first), *m.random.choice(FAILURES)]
    body = ["try", [["now"]], m.random.choice(("exception", "all")), m.random.choice(([], [m.call()], [["now"]]))]
    return m.program([*first, body, ["try", [m.call()], "all", []]], [run(fault=fault)])


# ---------------------------------------------------------------- signals


@theme
def many_signals(m: Maker) -> Program:
    """Several names, early and late, twice, with a clock that may go back between two of them."""
    one, two = m.signals[:2]
    waits = [["wait", m.random.choice((one, one, two))] for _ in range(m.random.randint(3, 4))]
    steps = [step for wait in waits for step in (wait, *m.commands(0, 1))]
    names = [wait[1] for wait in waits]
    m.random.shuffle(names)
    plan: list[list[Any]] = []
    for number, name in enumerate([*names, m.random.choice((one, two))]):
        plan += [["pass", m.random.choice((5.5, -7.25))], ["signal", name, number if m.chance(0.7) else m.value()]]
        plan += [RUN] if m.chance(0.4) else []
        plan += [["restart"]] if m.chance(0.2) else []
    return m.program(steps, [*plan, RUN, *REPLAY])


@theme
def equal_signals(m: Maker) -> Program:
    """The same signal twice counts twice; killed around the wait."""
    name, payload = m.signals[0], m.value()
    steps = [["wait", name], *m.commands(0, 1), ["wait", name], ["wait", name]]
    plan = [["signal", name, payload], run(fault=m.crash(6)), ["signal", name, payload], run(fault=m.crash(5)), RUN]
    return m.program(steps, [*plan, ["signal", name, "last"], RUN, *REPLAY])


@theme
def caught_waits(m: Maker) -> Program:
    """A wait passes through `except Exception`; where everything is caught, the run is blocked all the same."""
    name, other = m.signals[:2]
    catches = m.random.choice(("exception", "all", "all", "activity"))
    handler = m.random.choice(
        ([m.call()], [["now"]], [["wait", other]], [], [["return"]], [["raise", "RuntimeError", "no"]])
    )
    steps = [m.call(), ["try", [["wait", name]], catches, handler], *m.random.choice(([], [m.call()], [["now"]]))]
    middle = [["signal", other, 1]] if m.chance(0.4) else []
    return m.program(
        steps, [*middle, RUN, RUN, ["signal", name, m.value()], *m.random.choice(([], [["restart"]])), RUN]
    )


@theme
def a_signal_that_is_not_kept(m: Maker) -> Program:
    """The journal fails while a signal arrives, or the payload cannot be recorded: the caller hears of it."""
    name, fault = m.signals[0], m.random.choice(FAILURES)
    plan = [
        ["signal", name, m.value(), fault],
        RUN,
        ["signal", name, m.random.choice(UNRECORDABLE)],
        ["signal", name, 2],
    ]
    return m.program([["wait", name], m.call()], [*plan, RUN, *REPLAY])


# ---------------------------------------------------------------- changed code


@theme
def changed_code(m: Maker) -> Program:
    """A recorded command is another one now: renamed, other arguments, another kind, removed, added, swapped."""
    name, other = m.signals[:2]
    a, b = m.call([["ok", 1], ["ok", 2]]), m.call([["ok", 1], ["ok", 2]])
    a[2] = [m.value(0), m.random.choice((1, "x"))]
    steps: list[Step] = [a, ["now"], ["wait", name], b]
    new = m.call()
    changes: list[list[Step]] = [
        [[*new[:2], a[2]], *steps[1:]],
        [[*a[:2], [a[2][0], m.random.choice((2, 1.0, True, "X", None, "x "))]], *steps[1:]],
        [[*a[:2], a[2][:1]], *steps[1:]],
        [[*a[:2], [*a[2], None]], *steps[1:]],
        [a, new, ["wait", name], b],
        [["now"], a, ["wait", name], b],
        [a, ["now"], ["wait", other], b],
        [a, ["now"], ["now"], b],
        [a, ["now"], b, ["wait", name]],
        [a, ["wait", name], b],
        [["wait", name], ["now"], a, b],
        [new, *steps],
        [a, ["now"], b],
        steps[1:],
    ]
    return _with_changes(m, steps, m.random.sample(changes, 5), name)


@theme
def the_same_name_for_another_kind(m: Maker) -> Program:
    """An activity, a time and a signal of one name: only the kind differs."""
    name = m.random.choice(("now", m.signals[0]))
    m.activities[name] = Activity([["ok", 1000.5], ["ok", 2]])
    activity: Step = ["call", name, []]
    kinds = [activity, ["wait", name], *([["now"]] if name == "now" else [])]
    m.random.shuffle(kinds)
    steps = [kinds[0], m.call(), kinds[1]]
    changes = [[one, steps[1], two] for one in kinds for two in kinds if [one, two] != [steps[0], steps[2]]]
    return _with_changes(m, steps, m.random.sample(changes, 3), name)


def _with_changes(m: Maker, steps: list[Step], changes: list[list[Step]], name: str) -> Program:
    """The program is run, and then run again with each change."""
    if m.chance(0.4):
        ways: Any = (
            ("exception", [], []),
            ("all", [m.call()], []),
            ("exception", [], [["raise", "ValueError", "sorry"]]),
        )
        catches, handler, then = m.random.choice(ways)
        changes = [[["try", change, catches, handler], *then] for change in changes]
    runs = [run(code) for code in range(2, len(changes) + 2)]
    middle = [["restart"]] if m.chance(0.5) else []
    return m.program(steps, [["signal", name, m.value()], RUN, *middle, *runs, RUN], changed=changes)


@theme
def swallowed_divergence(m: Maker) -> Program:
    """A divergence that the workflow catches ends the run all the same, whatever the workflow does then."""
    steps = [m.call(), m.call(), m.call()]
    other = [m.call(), [*steps[0][:2], ["another"]], ["now"], ["wait", m.signals[0]]]
    endings: list[list[Step]] = [
        [],
        [["return"]],
        [["raise", "ValueError", "a bug"]],
        [["raise", "RuntimeError", "given up"]],
    ]
    endings += [[m.call()], steps[1:]]
    changes = [
        [["try", [m.random.choice(other)], m.random.choice(("exception", "all")), []], *ending]
        for ending in m.random.sample(endings, 4)
    ]
    return m.program(steps, [RUN, *[run(code) for code in range(2, 6)], RUN], changed=changes)


@theme
def unread_history(m: Maker) -> Program:
    """The workflow ends while history has records left: by a return, a failure, a bug, Ctrl-C."""
    steps = [m.call(), *m.commands(1, 2), m.call()]
    endings: list[list[Step]] = [
        [["return"]],
        [["raise", "RuntimeError", "given up"]],
        [["raise", "ValueError", "a bug"]],
    ]
    endings += [[["raise", "KeyboardInterrupt", "stopped by hand"]], [["raise", "KeyError", "a bug"]]]
    changes = [[*steps[: m.random.randint(0, len(steps) - 1)], *ending] for ending in endings]
    m.random.shuffle(changes)
    return m.program(steps, [RUN, *[run(code) for code in range(2, 7)], RUN], changed=changes)


@theme
def a_weak_guard(m: Maker) -> Program:
    """guard="names" compares kind and name, and lets other arguments pass; nothing runs again."""
    a, b = m.call([["ok", 1], ["ok", 2]]), m.call([["ok", 1], ["ok", 2]])
    changes: list[list[Step]] = [[[*a[:2], ["another"]], b], [b, a], [a], [a, [*b[:2], [1, 2, 3]], m.call()]]
    runs = [run(code) for code in m.random.sample((2, 3, 4), 3)]
    return m.program([a, b], [RUN, *runs, run(5)], changed=changes, guard="names")


# ---------------------------------------------------------------- how a run ends


@theme
def endings(m: Maker) -> Program:
    """RuntimeError fails the run; any other exception is a bug, and the history stays good to go on from."""
    steps = m.commands(1, 2)
    kind = m.random.choice(
        ("RuntimeError", "ValueError", "KeyError", "KeyboardInterrupt", "Crash", "TypeError", "LookupError")
    )
    text = "stopped by hand" if kind == "KeyboardInterrupt" else m.text()
    bug: list[Step] = [*steps, ["raise", kind, text]]
    return m.program(bug, [RUN, RUN, run(2), *REPLAY[:1], run(2)], changed=[[*steps, m.call()]])


@theme
def the_journal_fails(m: Maker) -> Program:
    """A record cannot be written, and the workflow catches that: the run stops there, and the caller gets the error."""
    steps = m.commands(1, 2)
    fault = ["append", m.random.randrange(len(steps) + 1), *m.random.choice(FAILURES)]
    last = m.random.choice((m.call(), ["now"], ["wait", "go"]))
    handler = m.random.choice(([], [m.call()], [["now"]], [["wait", "go"]], [["raise", "ValueError", "a bug"]]))
    body = ["try", [*steps, last], m.random.choice(("exception", "all")), handler]
    then = m.random.choice(([], [m.call()]))
    return m.program([body, *then], [["signal", "go", m.value()], run(fault=fault), RUN, *REPLAY])


@theme
def interrupts(m: Maker) -> Program:
    """Ctrl-C or a kill, in an effect or in a pause, and a workflow that catches everything."""
    steps = [*m.commands(0, 1), m.flaky(2, 3)]
    body = ["try", steps, "all", m.random.choice(([], [m.call()], [["return"]]))]
    who = m.random.choice(INTERRUPTS)
    fault = ["any", m.random.randrange(8), *who]
    return m.program([body, *m.random.choice(([], [m.call()]))], [run(fault=fault), RUN, *REPLAY], retry=m.policy(3))


@theme
def an_interrupted_pause(m: Maker) -> Program:
    """Ctrl-C or a kill exactly while the engine sleeps."""
    bad = m.call([m.error(), ["ok", m.value()]], m.policy(2) | {"initial_interval": 2.0, "max_interval": 4.0})
    body = ["try", [bad], "all", m.random.choice(([], [m.call()]))]
    return m.program([body], [run(fault=["any", 2, *m.random.choice(INTERRUPTS)]), RUN, *REPLAY])


@theme
def earlier_states(m: Maker) -> Program:
    """Runs from states of earlier, and one engine for all of them."""
    name = m.signals[0]
    steps = [m.call([["ok", n] for n in range(6)]), ["wait", name], m.call([["ok", n] for n in range(6)]), ["now"]]
    plan = [RUN, ["signal", name, 1], RUN, ["back", m.random.randint(1, 2)], ["signal", name, 2], RUN]
    return m.program(steps, [*plan, ["back", m.random.randint(1, 5)], RUN, RUN], one_engine=True)


PROGRAMS = 2 * len(THEMES)  # by which one submission is judged
