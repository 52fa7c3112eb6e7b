"""`crash`: stop a workflow of one's own at every point, recover, and show which points it survives."""

from __future__ import annotations

import json
import os
from itertools import groupby
from typing import Annotated, Any

import typer
from rich.console import Console

from durable_lab import study
from durable_lab.cli.command_line import file, one_of, whole
from durable_lab.cli.output import on_engine, say, styled
from durable_lab.crash.outcome import Mark, Options, Outcome, crash_file
from durable_lab.crash.workflow_file import FileError, WorkflowFile
from durable_lab.judge.customers import CUSTOMERS
from durable_lab.printable import quoted
from durable_lab.rules import RULES
from durable_lab.timeline.words import brief, cut

SURVIVES, FAILS, UNTRIED = "●", "✖", "·"
ROWS, WIDTH = 14, 30  # of the drawing; a longer history is cut in the middle


def _json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=lambda word: json.loads("_"))
    except (RecursionError, ValueError):
        raise typer.BadParameter(f"{text!r:.80} is not JSON; for a string, write '\"text\"'") from None


def _given(text: str) -> tuple[Any]:
    """The input, in a tuple: `null` is an input, too."""
    return (_json(text),)


def _signal(text: str) -> tuple[str, Any]:
    name, equals, payload = text.partition("=")
    if not (name and equals):
        raise typer.BadParameter(f'{text!r:.80} is not NAME=JSON, as in approval=\'{{"by": "Ana"}}\'')
    return name, _json(payload)


def crash(
    context: typer.Context,
    where: Annotated[
        str,
        typer.Argument(
            metavar="FILE.py[:NAME]",
            parser=file,
            help="the workflow: the constant WORKFLOW, or the one function whose first parameter is `ctx`; or NAME, "
            "which may be an expression such as refund_with(PaperWorld())",
        ),
    ],
    given: Annotated[
        Any, typer.Option("--input", metavar="JSON", parser=_given, help="its input; if not given, the constant INPUT")
    ] = None,
    signal: Annotated[
        list[Any] | None,
        typer.Option(
            "--signal",
            metavar="NAME=JSON",
            parser=_signal,
            help="a signal to deliver when the run waits for it, in this order; if not given, the constant SIGNALS",
        ),
    ] = None,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="crash in each recovery, too: at every pair of points")
    ] = False,
    store: Annotated[
        str, typer.Option(metavar="STORE", parser=one_of(("memory", "sqlite")), help="memory or sqlite")
    ] = "memory",
    seed: Annotated[
        int, typer.Option(metavar="N", parser=whole(0), help="of `random` and of the order of sets, to repeat a run")
    ] = 0,
    seconds: Annotated[
        int, typer.Option(metavar="N", parser=whole(4, 86_400), help="for all runs; one run may take a quarter of it")
    ] = 60,
) -> int:
    """Crash a workflow of your own at every point, and compare.

    After each crash, a new process recovers. It must give the same result and the same history, and run no recorded
    step again. Activities are real functions: they run for real, many times, so use ones that may. What the file
    prints is not shown.
    """
    console: Console = context.obj
    engine, target = study.for_show(), WorkflowFile.named(where)
    asked = {"input": given[0]} if given else {}
    if signal:
        asked["signals"] = signal
    try:
        outcome = crash_file(engine, target, Options(asked, pairs, store, seed, float(seconds)))
    except FileError as error:
        raise study.StudyError(f"engine {engine.label}: {error}") from None
    own = "" if os.environ.get("LAB_MODULE") else f"   (yours: {on_engine('lab', 'durable-lab crash ...')})"
    say(console, f"engine    {engine.label}{own}")
    say(console, f"workflow  {outcome.workflow} in {target.shown}   store {store}   seed {seed}")
    say(console, f"input     {brief(outcome.input, 100)}")
    say(console, f"no crash  {cut(outcome.end, 100)}   (calls of activities: {outcome.calls})")
    _draw(console, outcome)
    return _conclude(console, outcome, target, console.encoding)


def _draw(console: Console, outcome: Outcome) -> None:
    """A row for each command and what is between commands, and a mark for each point."""
    failed = {mark.crashes[0] for mark in outcome.marks if mark.broken and mark.crashes}
    tried = {mark.crashes[0] for mark in outcome.marks if mark.crashes}
    rows = []
    for title, points in groupby(enumerate(outcome.points), key=lambda item: _title(*item[1][:3])):
        numbers = [number for number, _ in points]
        marks = "".join(FAILS if n in failed else SURVIVES if n in tried else UNTRIED for n in numbers)
        rows.append((cut(title, WIDTH), marks))
    left = len(rows) - ROWS
    say(
        console, f"          {SURVIVES} survives   {FAILS} fails   {UNTRIED} not tried: a mark for each point, in order"
    )
    for number, (title, marks) in enumerate(rows):
        if left > 0 and ROWS // 2 <= number < len(rows) - ROWS // 2:
            if number == ROWS // 2:
                hidden = "".join(marks for _, marks in rows[ROWS // 2 : len(rows) - ROWS // 2])
                say(console, f"  ... {left} more rows: {_words(hidden)}")
            continue
        word = _words(marks)
        styled(console, f"  {title:<{WIDTH}} {_shortened(marks)}  ", (word, "red" if FAILS in marks else "green"))


def _title(position: int, of: str, what: str) -> str:
    """The row of a point: its command, its signal, or the moment of the run."""
    if position >= 0:
        return f"{position} {of.partition('(')[0]}"
    moments = {"starts": "start", "returns": "return", "blocks": "blocked", "ends": "end of the run"}
    late = what in ("records", "recorded")  # a wrong engine records when no command runs
    return moments.get(what) or f"{'record' if late else 'signal'} {of}"


def _words(marks: str) -> str:
    """What the marks say, in words."""
    if failed := marks.count(FAILS):
        return f"FAILS at {failed} of {len(marks)}"
    if untried := marks.count(UNTRIED):
        return f"{untried} of {len(marks)} not tried"
    return "survives" if len(marks) == 1 else f"survives all {len(marks)}"


def _shortened(marks: str) -> str:
    return marks if len(marks) <= 24 else f"{marks[:12]}…{marks[-11:]}"


def _conclude(console: Console, outcome: Outcome, target: WorkflowFile, encoding: str) -> int:
    """Print the sum, and the first failing point in five lines. Returns the exit code."""
    runs = [mark for mark in outcome.marks if mark.crashes]
    survived = sum(not mark.broken for mark in runs)
    say(console, f"{len(outcome.points)} points, {len(runs)} runs with a crash: {survived} survive")
    if outcome.status == "blocked":
        say(console, "The run waits for a signal that was not given: --signal NAME=JSON delivers it.")
    if outcome.first:
        _show_first(console, outcome.first)
        return 1
    if not outcome.complete:
        again = f"durable-lab crash {quoted(target.shown, encoding)} --seconds 600"
        raise study.StudyError(f"the time was over before all points were tried. More time: {again}")
    return 0


def _show_first(console: Console, first: Mark) -> None:
    assert first.broken is not None
    rule, right, found = first.broken
    say(console, "")
    number = f" (point {first.crashes[0] + 1})" if first.crashes else ""
    styled(console, ("first     ", "bold"), cut(f"{first.words}{number}"))
    if rule:
        say(console, f"rule      {rule}  {RULES[rule]}")
    say(console, f"right     {cut(right, 200)}")
    say(console, f"found     {cut(found, 200)}")
    say(console, f"customer  {CUSTOMERS.get(rule, 'The order stays open, and a process works on it for ever.')}")
