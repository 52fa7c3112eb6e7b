"""Make a failing program smaller while it fails in the same way: fewest events first, then the plainest values.

A greedy search as in delta debugging (Zeller and Hildebrandt, 2002), with edits that know what a program is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from durable_lab.judge.program import BODIES, START, Activity, Program, Step, walk

MOST_TRIES = 1_500
SECONDS = 2.0
Fails = Callable[[Program], bool]


def shrink(program: Program, fails: Fails, seconds: float = SECONDS) -> Program:
    """Return the smallest program that was found for which `fails` holds, as it does for this one."""
    until, tries = time.monotonic() + seconds, 0
    smaller = True
    while smaller:
        smaller = False
        for edits in (_plans, _bodies, _fields, _values):
            again = True
            while again:
                again = False
                for one in edits(program):
                    if one == program:
                        continue
                    if tries == MOST_TRIES or time.monotonic() > until:
                        return _tidy(program)
                    tries += 1
                    if fails(one):
                        program, smaller, again = one, True, edits is not _values
                        break
    return _tidy(program)


def _tidy(program: Program) -> Program:
    """Without the activities and versions that are not used."""
    used = {step[1] for steps in (program.steps, *program.changed) for step in walk(steps) if step[0] == "call"}
    return program.but(activities={name: one for name, one in program.activities.items() if name in used})


def _plans(program: Program) -> Iterator[Program]:
    """Less happens outside; and what happens is plainer."""
    plan = program.plan
    for size in (len(plan) // 2, len(plan) // 4, 1):
        for start in range(len(plan) - size, -1, -1) if size else ():
            yield program.but(plan=[*plan[:start], *plan[start + size :]])
    for number, action in enumerate(plan):
        for plainer in _plainer_action(action):
            yield program.but(plan=[*plan[:number], plainer, *plan[number + 1 :]])
    for number in range(len(program.changed)):
        code = number + 2
        if all(_code(action) != code for action in plan):
            moved = [
                ["run", {**action[1], "code": _code(action) - 1}] if _code(action) > code else action for action in plan
            ]
            yield program.but(changed=[*program.changed[:number], *program.changed[number + 1 :]], plan=moved)


def _code(action: list[Any]) -> int:
    return int(action[1].get("code", 1)) if action[0] == "run" and len(action) > 1 else 1


def _plainer_action(action: list[Any]) -> Iterator[list[Any]]:
    match action:
        case ["run", options]:
            if options.get("fault"):
                yield ["run", {name: value for name, value in options.items() if name != "fault"}]
                where, number, *what = options["fault"]
                for earlier in range(number):
                    yield ["run", {**options, "fault": [where, earlier, *what]}]
            if options.get("code", 1) != 1:
                yield ["run", {**options, "code": 1}]
            if options == {"code": 1} or not options:
                yield ["run"]
        case ["back", number] if number > 1:
            yield ["back", number - 1]


def _bodies(program: Program) -> Iterator[Program]:
    """Fewer steps."""
    for steps in _fewer(program.steps):
        yield program.but(steps=steps)
    for number, version in enumerate(program.changed):
        for steps in [program.steps, *_fewer(version)]:
            if steps != version:
                yield program.but(changed=[*program.changed[:number], steps, *program.changed[number + 1 :]])
    for step in {str(step): step for step in walk(program.steps)}.values():  # the same step, away in all versions
        if program.changed:
            versions = [[one for one in steps if one != step] for steps in (program.steps, *program.changed)]
            if versions != [program.steps, *program.changed]:
                yield program.but(steps=versions[0], changed=versions[1:])


def _fewer(steps: list[Step]) -> Iterator[list[Step]]:
    """Yield the steps with one less, or with one of them replaced by what is in it."""
    for number, step in enumerate(steps):
        before, after = steps[:number], steps[number + 1 :]
        yield [*before, *after]
        for place in BODIES.get(step[0], ()):
            yield [*before, *step[place], *after]
            for body in _fewer(step[place]):
                yield [*before, [*step[:place], body, *step[place + 1 :]], *after]
        if step[0] == "loop" and step[1] > 1:
            yield [*before, ["loop", step[1] - 1, step[2]], *after]


def _fields(program: Program) -> Iterator[Program]:
    """Plain fields of the program and of its activities."""
    plain = Program("", [], [])
    for name in ("retry", "guard", "tick", "start", "one_engine", "workflow_id", "input"):
        if getattr(program, name) != getattr(plain, name):
            yield program.but(**{name: getattr(plain, name)})
    if program.start not in (START, 0.0):
        yield program.but(start=0.0)
    for name, activity in program.activities.items():
        for plainer in _plainer_activity(activity):
            yield program.but(activities=program.activities | {name: plainer})


def _plainer_activity(activity: Activity) -> Iterator[Activity]:
    if activity != Activity():
        yield Activity()
        yield Activity(activity.outcomes)
        yield Activity(activity.outcomes, activity.takes_key)
    for number in range(len(activity.outcomes)):
        outcomes = [*activity.outcomes[:number], *activity.outcomes[number + 1 :]]
        if outcomes:
            yield Activity(outcomes, activity.takes_key, activity.seconds, activity.changes_arguments)


PLAIN: tuple[Any, ...] = (None, 1, "a", [], [1])


def _values(program: Program) -> Iterator[Program]:
    """Plainer values: arguments, results, payloads, texts, policies, names of signals."""
    data: dict[str, Any] = {"steps": program.steps, "changed": program.changed, "plan": program.plan}
    data["activities"] = {name: one.outcomes for name, one in program.activities.items()}
    for made in _plainer(data):
        activities = {
            name: Activity(made["activities"][name], one.takes_key, one.seconds, one.changes_arguments)
            for name, one in program.activities.items()
        }
        yield program.but(steps=made["steps"], changed=made["changed"], plan=made["plan"], activities=activities)
    for name in {action[1] for action in program.plan if action[0] == "signal"} - {"go", "stop"}:
        for plain in ("go", "stop"):
            yield _renamed(program, name, plain)


def _renamed(program: Program, old: str, new: str) -> Program:
    """The same program, with another name of a signal."""

    def renamed(thing: Any) -> Any:
        if isinstance(thing, list):
            if thing[:1] in (["wait"], ["signal"]) and thing[1:2] == [old]:
                return [thing[0], new, *thing[2:]]
            return [renamed(one) for one in thing]
        return thing

    steps, changed, plan = renamed(program.steps), renamed(program.changed), renamed(program.plan)
    return program.but(steps=steps, changed=changed, plan=plan)


def _plainer(thing: Any, within: str = "") -> Iterator[Any]:
    """Yield the data with one value in it plainer. `within` says what the innermost list is."""
    if isinstance(thing, dict) and not within:
        for key, value in thing.items():
            for one in _plainer(value):
                yield thing | {key: one}
    elif isinstance(thing, list) and thing and isinstance(thing[0], str) and not within:
        for place, kind in _VALUES.get(thing[0], {}).items():
            for one in _plainer_value(thing[place], kind) if place < len(thing) else ():
                yield [*thing[:place], one, *thing[place + 1 :]]
        for place in BODIES.get(thing[0], ()):
            for one in _plainer(thing[place]):
                yield [*thing[:place], one, *thing[place + 1 :]]
    elif isinstance(thing, list):
        for number, value in enumerate(thing):
            for one in _plainer(value):
                yield [*thing[:number], one, *thing[number + 1 :]]


# Where in a step, an action or an outcome the values stand.
_VALUES: dict[str, dict[int, str]] = {
    "call": {2: "arguments", 3: "policy"},
    "signal": {2: "value"},
    "ok": {1: "value"},
    "raise": {2: "text"},
    "pass": {1: "seconds"},
    "return": {1: "value"},
}


def _plainer_value(value: Any, kind: str) -> Iterator[Any]:
    if kind == "arguments":
        for number, one in enumerate(value):
            yield [*value[:number], *value[number + 1 :]]
            for plain in _plainer_value(one, "value"):
                yield [*value[:number], plain, *value[number + 1 :]]
    elif kind == "policy":
        yield from ([{}] if value else [])
        for name in value:
            yield {key: one for key, one in value.items() if key != name}
        if isinstance(count := value.get("max_attempts"), int) and count > 1:
            yield value | {"max_attempts": count - 1}
    elif kind == "text":
        yield from ("no", "a: b")[: 2 if value not in ("no", "a: b") else value == "a: b"]
    elif kind == "seconds":
        yield from (plain for plain in (60.0, -60.0) if value not in (60.0, -60.0))
    else:
        rank = (
            PLAIN.index(value)
            if any(value is one or (type(value) is type(one) and value == one) for one in PLAIN)
            else 9
        )
        yield from PLAIN[:rank]
