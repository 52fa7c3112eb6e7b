"""The themes: each makes programs in which one kind of mistake shows; all else in them is random."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from durable_lab.judge.maker import (
    BASES,
    ERRORS,
    FAILURES,
    FALSY,
    INTERRUPTS,
    REPLAY,
    RUN,
    SHAPES,
    UNRECORDABLE,
    Maker,
    run,
)
from durable_lab.judge.program import Activity, Program, Step

Theme = Callable[[Maker], Program]
THEMES: list[Theme] = []


def theme(make: Theme) -> Theme:
    """Add a theme to the list."""
    THEMES.append(make)
    return make


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
def equal_commands(m: Maker) -> Program:
    """Commands that are equal in everything but their place: the same call, the same time, the same signal."""
    again = m.call([["ok", 1]], takes_key=False, seconds=0.0)
    steps = [again, again, ["now"], ["now"], ["wait", "go"], ["wait", "go"], again]
    plan = [["signal", "go", 1], ["signal", "go", 1], run(fault=m.crash(16)), RUN, *REPLAY]
    return m.program(steps, plan)


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
    """Some errors are not retried: named by their class, by its name, or by a class above it."""
    tries = []
    ways = ("{0}", "@{0}", "{1}", "@{1}", "OtherError")
    for error, way in zip(m.random.sample(ERRORS, 5), ways, strict=True):
        final = way.format(error, BASES[error])
        policy = m.policy(3) | {"non_retryable": m.random.choice(([final], ["AttributeError", final]))}
        outcomes = [["raise", error, m.text()], ["raise", error, "second"], ["ok", "third"]]
        tries.append(["try", [m.call(outcomes, policy)], "activity", []])
    m.random.shuffle(tries)
    return m.program(tries, [RUN, *REPLAY])


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
    steps += [["wait", name], ["unless", [["wait", name]]], m.call(), ["return", m.in_turn(None, falsy[0])]]
    plan = [
        ["signal", name, m.in_turn(None, falsy[2])],
        run(fault=m.crash(10)),
        ["signal", name, falsy[3]],
        RUN,
        *REPLAY,
    ]
    return m.program(steps, plan, input=m.random.choice(FALSY))


@theme
def odd_texts(m: Maker) -> Program:
    """Texts of every shape: in errors, or in arguments, results, payloads and names."""
    texts = [m.random.choice(shape) for shape in SHAPES]
    if m.in_turn(True, False):
        calls = [m.call([["raise", m.random.choice(ERRORS), text]], {"max_attempts": 1}) for text in texts]
        steps = [["try", [call], "activity", []] for call in calls]
        return m.program([*steps, ["raise", "RuntimeError", m.text()]], [RUN, *REPLAY])
    name = m.text() or "an answer"
    calls = [m.call([["ok", text]]) for text in texts]
    for call, text in zip(calls, texts, strict=True):
        call[2] = [text, {m.text(): text}]
    waits = [["wait", name] for _ in texts]
    signals = [["signal", name, text] for text in texts]
    return m.program([*calls, *waits], [*signals, RUN, *REPLAY], workflow_id=m.text() or "w", input=m.text())


@theme
def not_recordable(m: Maker) -> Program:
    """What JSON cannot carry: arguments before the activity runs, results as a final failure, payloads."""
    bad: list[Any] = []
    for one in m.random.sample(UNRECORDABLE, len(UNRECORDABLE)):
        shapes: list[Any] = [one, [1, one], {"k": one}]
        bad.append(m.random.choice(shapes))
    refused, then = m.call(), m.call()
    refused[2], then[2] = [bad[0]], ["fine", bad[1]]
    results = [
        m.call([["ok", bad[2]], ["ok", "second"]], m.policy(3)),
        m.call([m.error(), ["ok", bad[3]], ["ok", 3]], m.policy(3)),
    ]
    steps = [m.call(), *(["try", [one], m.random.choice(("exception", "all")), []] for one in (refused, then))]
    steps += [["try", [result], "activity", [m.call()]] for result in results]
    plan = [["signal", "go", bad[4]], ["signal", "go", bad[5]], RUN, *REPLAY, run(2)]
    return m.program(steps, plan, changed=[[*steps, refused]])


@theme
def changed_values(m: Maker) -> Program:
    """The workflow and its activities change what they were given: history does not change."""
    box: list[Any] = [[[]], {"items": ["pen"], "at": {"x": {}}}, [[1], {"k": []}], {"!": "tuple", "of": [[1]]}]
    first, second = (m.call([["ok", m.random.choice(box)]], changes_arguments=True) for _ in range(2))
    first[2], second[2] = [m.random.choice(box[:3])], [{"$": "last"}, {"$": "input"}]
    third = m.call([m.error(), ["ok", m.random.choice(box)]], m.policy(2), changes_arguments=True)
    third[2] = [m.random.choice(box[:3])]
    steps = [["change", "input"], first, ["change", "value"], ["change", "arguments"], second, ["change", "value"]]
    steps += [["wait", "go"], ["change", "value"], third, ["change", "arguments"], ["change", "value"]]
    plan = [RUN, ["signal", "go", m.random.choice(box[:3])], RUN, RUN, *REPLAY]
    return m.program(steps, plan, input={"order": ["A1"], "at": {"x": {"y": 1}}})


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
    return m.program(steps, plan, start=m.in_turn(0.0, 1000.26, 1.7e9 + 0.123456))


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
    names = m.random.choice(([one, two, one], [one, one, two], [one, two, two], [one, two, one, two]))
    steps = [step for name in names for step in (["wait", name], *m.commands(0, 1))]
    names = [two, *m.random.sample([*names, one], len(names) + 1)]
    plan: list[list[Any]] = []
    for number, name in enumerate(names):
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
    first, undo, then = m.call(), m.call(), m.call()
    handlers: list[list[Step]] = [[undo], [["now"]], [["wait", other]], [], [["return"]], [["wait", name]]]
    handlers += [[["raise", "RuntimeError", "no"]], [["raise", "ValueError", "no"]]]
    ways = [[first, ["try", [["wait", name]], "all", handler], *m.random.choice(([], [then]))] for handler in handlers]
    catches = m.random.choice(("exception", "activity"))
    ways = [[first, ["try", [["wait", name]], catches, [undo]], then], *m.random.sample(ways, 5)]
    middle = [["signal", other, 1]] if m.chance(0.4) else []
    plan = [*middle, RUN, *[run(code) for code in range(2, 7)], ["signal", name, m.value()], *REPLAY]
    return m.program(ways[0], plan, changed=ways[1:])


@theme
def a_signal_that_is_not_kept(m: Maker) -> Program:
    """The journal fails while a signal arrives, or the payload cannot be recorded: the caller hears of it."""
    name = m.signals[0]
    lost = [["signal", name, m.value(), m.random.choice(faults)] for faults in (FAILURES[:3], FAILURES)]
    plan = [*lost, RUN, ["signal", name, m.random.choice(UNRECORDABLE)], ["signal", name, 2], RUN, *REPLAY]
    return m.program([["wait", name], m.call()], plan)


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
    return _with_changes(m, steps, m.random.sample(changes, 6), name)


@theme
def changed_arguments(m: Maker) -> Program:
    """Arguments that are almost the same: another type, order, case, length. The order of keys does not count."""
    first: list[Any] = [{"b": 1, "a": [1, "x", None]}, 1, "x"]
    a = m.call([["ok", n] for n in range(8)])
    others: list[Any] = [
        *([{"b": 1, "a": [1, "x", None]}, other, "x"] for other in (1.0, True, "1", 2, None)),
        *([{"b": 1, "a": [1, "x", None]}, 1, other] for other in ("X", "x ", " x", "x\n", "")),
        *(
            [{"b": 1, "a": other}, 1, "x"]
            for other in ([1, "x"], [True, "x", None], [1, "x", 0], ["x", 1, None], "[1]")
        ),
        *(
            [first[0], "x", 1],
            first[:2],
            [*first, None],
            [],
            ["x", 1, first[0]],
            [{"b": 1}, 1, "x"],
            [[first[0], 1, "x"]],
        ),
    ]
    kinds = others[:2], others[2:5], others[5:10], others[10:15], others[15:]
    chosen = [*map(m.random.choice, kinds), [first[0], "x", 1]]
    chosen.insert(m.random.randrange(6), [{"a": [1, "x", None], "b": 1}, 1, "x"])
    changes: list[list[Step]] = [[[*a[:2], other]] for other in chosen]
    plan = [RUN, *[run(code) for code in range(2, 9)]]
    return m.program([[*a[:2], first]], plan, changed=changes)


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
    kinds = m.random.sample(("ValueError", "KeyError", "TypeError", "LookupError", "OSError"), 2)
    ends = [["raise", kind, m.text()] for kind in ("RuntimeError", *kinds, "Crash")]
    ends += [["raise", "KeyboardInterrupt", "stopped by hand"]]
    m.random.shuffle(ends)
    versions = [[*steps, end] for end in ends]
    plan = [*[run(code) for code in (1, 2, 3, 4, 5)], ["restart"], run(6)]
    return m.program(versions[0], plan, changed=[*versions[1:], [*steps, m.call()]])


@theme
def the_journal_fails(m: Maker) -> Program:
    """A record cannot be written, and the workflow catches that: the run stops there, and the caller gets the error."""
    steps = [*m.commands(1, 2), m.random.choice((m.call(), ["now"], ["wait", "go"])), m.call()]
    handlers: list[list[Step]] = [[], [m.call()], [["now"]], [["wait", "go"]], [["raise", "ValueError", "a bug"]]]
    handlers += [[["raise", "RuntimeError", "given up"]], [["return"]]]
    body = ["try", steps, m.random.choice(("exception", "all")), m.random.choice(handlers)]
    faults = [["RuntimeError", "disk: full"], ["OSError", "disk full"], m.random.choice(FAILURES)]
    m.random.shuffle(faults)
    runs = [run(fault=["append", m.random.randrange(2), *fault]) for fault in faults]
    return m.program([body, *m.random.choice(([], [m.call()]))], [["signal", "go", m.value()], *runs, RUN, *REPLAY])


@theme
def interrupts(m: Maker) -> Program:
    """Ctrl-C or a kill, in an effect or in a pause, and a workflow that catches everything."""
    steps = [*m.commands(0, 1), m.flaky(2, 3), m.command()]
    body = ["try", steps, "all", m.random.choice(([], [m.call()], [["return"]]))]
    runs = [run(fault=["any", m.random.randrange(7), *who]) for who in (*INTERRUPTS, m.random.choice(INTERRUPTS))]
    return m.program([body, *m.random.choice(([], [m.call()]))], [*runs, RUN, *REPLAY], retry=m.policy(3))


@theme
def an_interrupted_pause(m: Maker) -> Program:
    """Ctrl-C or a kill exactly while the engine sleeps."""
    errors = [m.error() for _ in range(4)]
    bad = m.call([*errors, ["ok", m.value()]], m.policy(2) | {"initial_interval": 2.0, "max_interval": 4.0})
    body = ["try", [bad], "all", m.random.choice(([], [m.call()]))]
    runs = [run(fault=["any", 2, *who]) for who in INTERRUPTS]
    return m.program([body], [*runs, RUN, *REPLAY])


@theme
def earlier_states(m: Maker) -> Program:
    """Runs from states of earlier, and one engine for all of them."""
    name = m.signals[0]
    steps = [m.call([["ok", n] for n in range(6)]), ["wait", name], m.call([["ok", n] for n in range(6)]), ["now"]]
    plan = [RUN, ["signal", name, 1], RUN, ["back", m.random.randint(1, 2)], ["signal", name, 2], RUN]
    plan = [step for one in plan for step in (one, *([["apart"]] if one[0] in ("run", "signal") else []))]
    return m.program(steps, [*plan, ["back", m.random.randint(1, 5)], RUN, RUN], one_engine=True)
