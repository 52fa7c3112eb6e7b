"""The smallest story of a difference: at most five lines and a picture, for a person who has never seen the program."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from durable_lab.judge.customers import CUSTOMERS
from durable_lab.judge.difference import Difference, difference, judge, words
from durable_lab.judge.oracle import expected
from durable_lab.judge.play import Event, Trace, play
from durable_lab.judge.program import Program, Step
from durable_lab.judge.shrink import SECONDS, shrink
from durable_lab.judge.side_by_side import side_by_side
from durable_lab.rules import RULES

HEADINGS = "a right engine", "yours"
MAX_ROWS = 16  # of the picture
LONGEST = 230  # characters of one line


@dataclass(frozen=True)
class Story:
    """What a wrong engine does on the smallest program that shows it."""

    program: Program
    found: Difference
    picture: str  # two columns: a right engine, and this one

    @property
    def rule(self) -> str:
        return self.found.rule

    @property
    def kind(self) -> str:
        return self.found.kind

    @property
    def customer(self) -> str:
        """Return what a customer sees where an engine breaks this rule."""
        return CUSTOMERS[self.rule]

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the story: the workflow, what happens, a right engine, this engine, and the rule."""
        return tuple(
            _short(line)
            for line in (
                f"The workflow: {code(self.program)}",
                f"What happens: {happens(self.program)}",
                f"A right engine: {self.found.expected}.",
                f"Yours: {self.found.found}.",
                f"{self.rule}: {RULES[self.rule]} A customer sees: {self.customer}",
            )
        )

    @property
    def text(self) -> str:
        """Return the lines and the picture."""
        return "\n".join([*self.lines, "", self.picture])

    def as_test(self, name: str = "") -> str:
        """Return the source of a test file that runs this program on the engine under study."""
        made = name or "test_" + re.sub(r"\W+", "_", f"{self.rule} {self.kind}").strip("_").lower()
        told = textwrap.indent("\n".join(line for line in self.lines[:2]), "    ").strip()
        return _TEST.format(
            name=made, told=told.replace("\\", "\\\\").replace('"""', "'''"), program=self.program.to_json()
        )


_TEST = '''"""A test of your own, saved by `check`. Run it with pytest, or as it is."""

from durable_lab.judge import Program, expect

PROGRAM = r"""
{program}
"""


def {name}():
    """{told}
    """
    expect(Program.from_json(PROGRAM))


if __name__ == "__main__":
    {name}()
    print("It passes: your engine agrees with the rules on this program.")
'''


def tell(
    program: Program,
    found: Difference,
    fresh: Callable[[], Any],
    begin: Callable[[], Any] | None = None,
    seconds: float = SECONDS,
) -> Story:
    """Return the story of this difference, on the smallest program in which the same one shows.

    seconds  the time limit of the search; fresh, begin: see `play`
    """

    def fails(one: Program) -> bool:
        now = judge(one, fresh, begin)
        return now is not None and now.same == found.same

    small = shrink(program, fails, seconds)
    trace = play(small, fresh, begin)
    again = difference(small, trace)
    if again is None or again.same != found.same:  # the engine does not do the same thing twice
        small, again, trace = program, found, play(program, fresh, begin)
    return Story(small, again, picture(small, again, trace))


def picture(program: Program, found: Difference, trace: Trace) -> str:
    """Return what a right engine does, and beside it what this one does, up to the difference."""
    right = [one.event for one in expected(program, trace)]
    seen = [event for event in trace if event[0] != "read"]
    wrong = seen[: found.at + 1]
    ours = _log(program, right[: found.at + 1], right[found.at : found.at + 1])
    return side_by_side(ours, _log(program, wrong, wrong[found.at :]), HEADINGS, MAX_ROWS)


def _log(program: Program, events: list[Event], last: list[Event]) -> list[str]:
    """Return the lines of a log: what happens outside, and what the engine does then."""
    lines, actions = [], [*program.plan]
    start = True
    for event in events:
        while start and actions:
            action = actions.pop(0)
            lines.append(f"-- {_action(action)}")
            start = action[0] not in ("run", "signal")
        if event[0] == "states" and event not in last:
            start = True
        else:
            lines.append(words(event))
    return lines


# ---------------------------------------------------------------- words


def code(program: Program) -> str:
    """Return the workflow, and the changed ones, as one line of code."""
    made = steps(program.steps)
    others = [f"; changed to: {steps(one)}" for one in program.changed]
    return made + "".join(others)


def steps(body: list[Step]) -> str:
    """Return steps as one line: `charge(30); now(); wait("go")`."""
    return "; ".join(map(_step, body)) or "nothing"


def _step(step: Step) -> str:
    match step:
        case ["call", name, arguments, *_]:
            return f"{name}({', '.join(map(value, arguments))})"
        case ["wait", name]:
            return f"wait({value(name)})"
        case ["now"]:
            return "now()"
        case ["try", body, catches, handler]:
            kind = {"activity": "ActivityError", "exception": "Exception", "all": "everything"}[catches]
            return f"try {{{steps(body)}}} except {kind} {{{steps(handler) if handler else 'pass'}}}"
        case ["loop", times, body]:
            return f"{times} times {{{steps(body)}}}"
        case ["unless", body]:
            return f"if that is falsy {{{steps(body)}}}"
        case ["change", what]:
            return {"value": "change the value that came", "input": "change the input"}.get(
                what, "change the arguments"
            )
        case ["raise", kind, text]:
            return f"raise {kind}({value(text)})"
        case ["return", *own]:
            return " ".join(["return", *map(value, own)])
    return str(step)


def value(thing: Any) -> str:
    """Return a value of a program as code."""
    match thing:
        case {"!": "tuple", "of": items}:
            return f"({', '.join(map(value, items))},)"
        case {"!": name}:
            return {"nan": "nan", "inf": "inf", "bytes": r"b'\0'", "set": "{1}", "number key": "{1: 'one'}"}.get(
                name, "object()"
            )
        case {"$": name}:
            return "the last value" if name == "last" else "the input"
        case list():
            return f"[{', '.join(map(value, thing))}]"
        case dict():
            return "{" + ", ".join(f"{json.dumps(key)}: {value(item)}" for key, item in thing.items()) + "}"
    return repr(thing) if thing is None or isinstance(thing, bool) else json.dumps(thing)


def happens(program: Program) -> str:
    """Return what the activities do, and what happens outside, as a sentence."""
    parts = [f"{name} {_activity(program, name)}" for name in program.activities if _activity(program, name)]
    parts += [_setting(program)] if _setting(program) else []
    return "; ".join([*parts, *map(_action, program.plan)]) + "."


def _activity(program: Program, name: str) -> str:
    activity = program.activity(name)
    told = []
    outcomes = [
        f"raises {kind[1]}({value(kind[2])})" if kind[0] == "raise" else f"returns {value(kind[1])}"
        for kind in activity.outcomes
    ]
    if activity.outcomes != [["ok", "done"]]:
        told.append(", then ".join(outcomes))
    if activity.seconds:
        told.append(f"takes {activity.seconds:g} s")
    if activity.changes_arguments:
        told.append("changes its arguments")
    return " and ".join(told)


def _setting(program: Program) -> str:
    told = [f"the input is {value(program.input)}"] if program.input is not None else []
    told += ['guard="names"'] if program.guard != "arguments" else []
    told += [f"the clock moves by {program.tick:g} s at each reading"] if program.tick else []
    told += [f"the clock begins at {program.start:g}"] if program.start == 0 else []
    return ", ".join(told)


def _action(action: list[Any]) -> str:
    match action:
        case ["run", *options]:
            option = options[0] if options else {}
            which = "a run" if option.get("code", 1) == 1 else "a run of the changed code"
            return which + (f", in which {_fault(option['fault'])}" if option.get("fault") else "")
        case ["signal", name, payload, fault]:
            return f"the signal {value(name)} with {value(payload)}, and the journal raises {fault[0]}"
        case ["signal", name, payload]:
            return f"the signal {value(name)} with {value(payload)}"
        case ["restart"]:
            return "a new process"
        case ["pass", seconds]:
            return f"{seconds:g} s pass" if seconds >= 0 else f"the clock goes back by {-seconds:g} s"
        case ["apart"]:
            return "a look at the lists of both states"
        case ["back", number]:
            return f"back to the state {number} before"
    return str(action)


def _fault(fault: list[Any]) -> str:
    where, number, kind, _ = fault
    who = {"Crash": "the process is killed", "KeyboardInterrupt": "Ctrl-C comes"}.get(kind, f"{kind} is raised")
    if where == "clock":
        return f"the clock raises {kind}"
    if where == "append":
        return f"the journal raises {kind} at record {number}"
    return f"{who} at crossing {number}"


def _short(line: str) -> str:
    return line if len(line) <= LONGEST else line[: LONGEST - 3] + "..."
