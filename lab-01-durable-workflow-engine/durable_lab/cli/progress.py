"""Where the student stands: the bar, the checks, the hints, and the way back."""

from __future__ import annotations

import argparse
import textwrap
from itertools import groupby

from rich.console import Console
from rich.markup import escape

from durable_lab import study, todos
from durable_lab.checks.runner import Verdict, run_tests
from durable_lab.files import aside_of, keep, rewrite, rewrite_python


def show_progress(console: Console, given: argparse.Namespace) -> int:
    """The bar, a line for each TODO, and the next command."""
    engine = study.current()
    verdicts = run_tests(engine)
    passed = sum(verdict.passed for verdict in verdicts)
    bar = "█" * passed + "░" * (len(verdicts) - passed)
    console.print(f"engine    {escape(engine.label)}")
    console.print(f"progress  [green]{bar}[/green]  {passed} of {len(verdicts)} tests pass")
    stubs = _stubs(engine)
    for number, todo in todos.all_todos().items():
        mine = [verdict.passed for verdict in verdicts if number in verdict.todos]
        word = "to write" if number in stubs else "passes" if all(mine) else "written"
        console.print(f"TODO {number}    {word:<9} {sum(mine)} of {len(mine)}  {escape(todo.title)}", soft_wrap=True)
    console.print()
    _say_next(console, engine, stubs, verdicts)
    return 0


def _stubs(engine: study.Study) -> dict[int, int]:
    return todos.open_todos(engine.text())


def _say_next(console: Console, engine: study.Study, stubs: dict[int, int], verdicts: list[Verdict]) -> None:
    failed = next((verdict for verdict in verdicts if not verdict.passed), None)
    if failed is None:
        console.print(f"All pass. See it survive a real kill:  LAB_MODULE={engine.name} durable-lab demo")
    elif stubs:
        number, line = next(iter(stubs.items()))
        if len(stubs) == len(todos.all_todos()):
            console.print("All five TODOs are open, so 0 of 14 is right: this is a fresh lab.")
        console.print(f"next      TODO {number}: {escape(study.shown(engine.path))}, line {line}", soft_wrap=True)
        console.print(f"          durable-lab check {number}   durable-lab hint {number}")
    else:
        console.print(f"next      every TODO is written; this one fails first: {failed.name}")
        console.print(f"          durable-lab check {failed.todos[0]}   durable-lab hint {failed.todos[0]}")


def check(console: Console, given: argparse.Namespace) -> int:
    """The verdict of each test, and the whole message of each failure. Exit code 1 where one fails."""
    engine = study.current()
    stubs = _stubs(engine)
    verdicts = run_tests(engine, given.todo)
    lent = [number for number in stubs if given.todo and number != given.todo]
    console.print(f"engine    {escape(engine.label)}")
    if lent and engine.name == "lab":
        console.print(f"          lent by the reference for this check: TODO {', '.join(map(str, lent))}")
    for verdict in verdicts:
        word = "[green]pass[/green]" if verdict.passed else "[red]FAIL[/red]"
        console.print(f"{word}  {escape(verdict.name)}")
        for line in verdict.printed:
            console.print(f"      printed: {escape(line)}", soft_wrap=True)
    for message, group in groupby((v for v in verdicts if not v.passed), key=lambda v: v.message):
        console.rule(
            escape("; ".join(v.name for v in group) if "\n" in message else "what is missing"),
            style="dim",
            align="left",
        )
        console.print(escape(message), soft_wrap=True)
    passed = sum(verdict.passed for verdict in verdicts)
    console.print(f"\n{passed} of {len(verdicts)} pass")
    return 0 if passed == len(verdicts) else 1


def hint(console: Console, given: argparse.Namespace) -> int:
    """One rung of three: first a question, then the way, then what to hold your code against."""
    todo = todos.all_todos()[given.todo]
    console.print(f"TODO {todo.number}  {escape(todo.title)}   (hint {given.rung} of {len(todo.hints)})\n")
    console.print(escape(textwrap.fill(todo.hints[given.rung - 1], 100)))
    more = f"More: durable-lab hint {todo.number} {given.rung + 1}. " if given.rung < len(todo.hints) else ""
    console.print(f"\n{more}Read: {escape(todo.lesson)}.")
    return 0


def reset(console: Console, given: argparse.Namespace) -> int:
    """Put the functions of one TODO back, or the whole file; what was there goes to a backup beside the file."""
    engine = study.named()
    if engine.name != "lab":
        raise study.StudyError("reset works on your own engine: unset LAB_MODULE, or set it to lab.")
    if given.todo is None or not engine.path.exists():
        return _reset_file(console, engine)
    old = engine.text()
    try:
        new = todos.reset(old, given.todo)
    except KeyError as error:
        raise study.StudyError(
            f"{study.shown(engine.path)} has no class {error.args[0]} any more. `durable-lab reset` without a number "
            "puts back the whole file and keeps yours beside it."
        ) from None
    if new == old:
        console.print(f"TODO {given.todo} is as it was handed out already; nothing is changed.")
        return 0
    backup = keep(engine.path)
    rewrite_python(engine.path, new)
    console.print(f"TODO {given.todo} is as it was handed out. Your own text is kept in {escape(study.shown(backup))}.")
    return 0


def _reset_file(console: Console, engine: study.Study) -> int:
    """The whole file as it was handed out. What stands in its place is moved aside, whatever it is."""
    pristine = (todos.SKELETON / engine.path.name).read_text(encoding="utf-8")
    said = f"{study.shown(engine.path)} is as it was handed out."
    try:
        if engine.path.read_bytes() == pristine.encode():
            console.print(escape(f"{said[:-1]} already; nothing is changed."), soft_wrap=True)
            return 0
        said += f" Your own file is kept in {study.shown(keep(engine.path))}."
    except FileNotFoundError:
        pass
    except OSError:  # a folder, or a file that may not be read
        aside = engine.path.rename(aside_of(engine.path))
        said += f" What stood there is now called {study.shown(aside)}."
    engine.path.parent.mkdir(parents=True, exist_ok=True)
    rewrite(engine.path, pristine)
    for name in ("__init__.py", "refund.py"):
        if not engine.path.with_name(name).exists():
            rewrite(engine.path.with_name(name), (todos.SKELETON / name).read_text(encoding="utf-8"))
    console.print(escape(said), soft_wrap=True)
    return 0
