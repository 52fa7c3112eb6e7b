"""Where the student stands: the bar, the checks, the hints, and the way back."""

from __future__ import annotations

import argparse
import textwrap
from itertools import groupby

from rich.console import Console

from durable_lab import study, todos
from durable_lab.checks.runner import Verdict, run_tests, to_substitute
from durable_lab.cli.output import on_engine, say, styled
from durable_lab.files import aside_of, keep, rewrite, rewrite_python


def show_progress(console: Console, given: argparse.Namespace) -> int:
    """The bar, a line for each TODO, and the next command."""
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


def check(console: Console, given: argparse.Namespace) -> int:
    """The verdict of each test, and the whole message of each failure. Exit code 1 where one fails."""
    engine = study.current()
    stubs = _stubs(engine)
    verdicts = run_tests(engine, given.todo)
    others = [number for number in stubs if given.todo and number != given.todo]
    say(console, f"engine    {engine.label}")
    if others and engine.name == "lab":
        numbers = f"TODO {', '.join(map(str, sorted(others)))}"
        if to_substitute(engine, given.todo):
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


def hint(console: Console, given: argparse.Namespace) -> int:
    """One rung of three: first a question, then the way, then what to hold your code against."""
    todo = todos.all_todos()[given.todo]
    say(console, f"TODO {todo.number}  {todo.title}   (hint {given.rung} of {len(todo.hints)})")
    for line in ["", *textwrap.wrap(todo.hints[given.rung - 1], min(100, console.width)), ""]:
        say(console, line)
    more = f"More: durable-lab hint {todo.number} {given.rung + 1}. " if given.rung < len(todo.hints) else ""
    say(console, f"{more}Read: {todo.lesson}.")
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
        say(console, f"TODO {given.todo} is as it was handed out already; nothing is changed.")
        return 0
    backup = keep(engine.path)
    rewrite_python(engine.path, new)
    say(console, f"TODO {given.todo} is as it was handed out. Your own text is kept in {study.shown(backup)}.")
    return 0


def _reset_file(console: Console, engine: study.Study) -> int:
    """The whole file as it was handed out. What stands in its place is moved aside, whatever it is."""
    pristine = (todos.SKELETON / engine.path.name).read_text(encoding="utf-8")
    said = f"{study.shown(engine.path)} is as it was handed out."
    try:
        if engine.path.read_bytes() == pristine.encode():
            say(console, f"{said[:-1]} already; nothing is changed.")
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
    say(console, said)
    return 0
