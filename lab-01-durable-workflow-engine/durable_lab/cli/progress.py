"""Where the student stands: the progress bar, `check` and `hint`."""

from __future__ import annotations

import textwrap
from itertools import groupby
from typing import Annotated

import typer
from rich.console import Console

from durable_lab import study, todos
from durable_lab.checks.runner import Verdict, run_tests, to_substitute
from durable_lab.cli.command_line import whole
from durable_lab.cli.output import on_engine, say, styled

A_TODO = typer.Argument(metavar="TODO", help="the number of a TODO", parser=whole(1, len(todos.all_todos())))
RUNGS = 3


def show_progress(console: Console) -> int:
    """Show the bar, a line for each TODO, and the next command."""
    engine = study.current()
    verdicts = run_tests(engine)
    passed = sum(verdict.passed for verdict in verdicts)
    bar = "█" * passed + "░" * (len(verdicts) - passed)
    say(console, f"engine    {engine.label}")
    styled(console, "progress  ", (bar, "green"), f"  {passed} of {len(verdicts)} tests pass")
    stubs = _stubs(engine)
    for number, todo in todos.all_todos().items():
        mine = [verdict.passed for verdict in verdicts if number in verdict.todos]
        word = "to write" if number in stubs else "passes" if all(mine) else "written"
        say(console, f"TODO {number}    {word:<9} {sum(mine):>2} of {len(mine):<2}  {todo.title}")
    say(console, "")
    _say_next(console, engine, stubs, verdicts)
    return 0


def _stubs(engine: study.Study) -> dict[int, int]:
    return todos.open_todos(engine.text())


def _say_next(console: Console, engine: study.Study, stubs: dict[int, int], verdicts: list[Verdict]) -> None:
    failed = next((verdict for verdict in verdicts if not verdict.passed), None)
    if failed is None:
        say(console, f"All pass. See it survive a real kill:  {on_engine(engine.name, 'durable-lab demo')}")
    elif stubs:
        number, line = next(iter(stubs.items()))
        if len(stubs) == len(todos.all_todos()):
            say(console, "All five TODOs are open, so 0 of 14 is right: this is a fresh lab.")
        say(console, f"next      TODO {number}: {study.shown(engine.path)}, line {line}")
        say(console, f"          durable-lab check {number}   durable-lab hint {number}")
    else:
        say(console, f"next      every TODO is written; this one fails first: {failed.name}")
        say(console, f"          durable-lab check {failed.todos[0]}   durable-lab hint {failed.todos[0]}")


def check(context: typer.Context, todo: Annotated[int | None, A_TODO] = None) -> int:
    """Run the 14 tests, or those of one TODO.

    Shows why each failure failed. The exit code is 1 if a test fails.
    """
    console: Console = context.obj
    engine = study.current()
    stubs = _stubs(engine)
    verdicts = run_tests(engine, todo)
    others = [number for number in stubs if todo and number != todo]
    say(console, f"engine    {engine.label}")
    if others and engine.name == "lab":
        numbers = f"TODO {', '.join(map(str, sorted(others)))}"
        if to_substitute(engine, todo):
            say(console, f"          substituted by the reference for this check: {numbers}")
        else:
            say(console, f"          still to be written, and there is no reference here to substitute them: {numbers}")
    for verdict in verdicts:
        styled(console, ("pass", "green") if verdict.passed else ("FAIL", "red"), f"  {verdict.name}")
        for line in verdict.printed:
            say(console, f"      printed: {line.expandtabs()}")
    for message, group in groupby((v for v in verdicts if not v.passed), key=lambda v: v.message):
        styled(console, "")
        styled(console, ("; ".join(v.name for v in group), "bold"))
        for line in message.splitlines():
            say(console, line.expandtabs())
    passed = sum(verdict.passed for verdict in verdicts)
    say(console, "")
    say(console, f"{passed} of {len(verdicts)} pass")
    return 0 if passed == len(verdicts) else 1


def hint(
    context: typer.Context,
    todo: Annotated[int, A_TODO],
    rung: Annotated[int, typer.Argument(metavar="RUNG", parser=whole(1, RUNGS), help=f"1 to {RUNGS}")] = 1,
) -> int:
    """Ask a question about a TODO; two more rungs say more.

    First a question, then the approach, then what to compare your code with.
    """
    console: Console = context.obj
    about = todos.all_todos()[todo]
    say(console, f"TODO {todo}  {about.title}   (hint {rung} of {len(about.hints)})")
    for line in ["", *textwrap.wrap(about.hints[rung - 1], min(100, console.width)), ""]:
        say(console, line)
    more = f"More: durable-lab hint {todo} {rung + 1}. " if rung < len(about.hints) else ""
    say(console, f"{more}Read: {about.lesson}.")
    return 0
