"""What can be asked of `durable-lab`, and where it is answered."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from typing import NoReturn

from rich.console import Console

from durable_lab.cli import demo, doctor, progress, refund
from durable_lab.cli.output import LOST, console_on, say, screens
from durable_lab.faults import POINTS
from durable_lab.printable import printable
from durable_lab.stores import StoreError
from durable_lab.study import StudyError
from durable_lab.todos import all_todos

MOST = 1_000_000


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        super().error(printable(message))  # it quotes what was typed


def _number(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        value = int(text) if re.fullmatch(r"-?[0-9]{1,9}", text) else None
        if value is None or not least <= value <= MOST:
            raise argparse.ArgumentTypeError(f"{text!r:.40} is not a whole number from {least} to {MOST:,}")
        return value

    return number


def _name(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("the name is empty; give one")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError(f"{text!r:.80} is not UTF-8; type it in a UTF-8 terminal") from None
    return text


def _file(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("the name of the file is empty; give one")
    return text


def parser() -> argparse.ArgumentParser:
    top = _Parser(
        prog="durable-lab",
        description="Without a command: where you stand (0 to 14), and what is next.",
        epilog="LAB_MODULE=lab or LAB_MODULE=solution chooses the engine. Every answer says which one ran. "
        "Exit codes: 0 done; 1 a test, a run or a check failed; 2 refused, with the reason; "
        f"{LOST} done, but the output was lost; 130 stopped by Ctrl-C.",
    )
    commands = top.add_subparsers(dest="command", metavar="command")

    check = commands.add_parser("check", help="run the 14 tests, or those of one TODO")
    check.add_argument("todo", nargs="?", type=int, choices=sorted(all_todos()), help="the number of a TODO")
    hint = commands.add_parser("hint", help="a question about a TODO, then two more rungs")
    hint.add_argument("todo", type=int, choices=sorted(all_todos()), help="the number of a TODO")
    hint.add_argument("rung", nargs="?", type=int, choices=(1, 2, 3), default=1, help="1 to 3 (default: %(default)s)")
    reset = commands.add_parser("reset", help="put a TODO, or the whole file, back as handed out; keeps a backup")
    reset.add_argument("todo", nargs="?", type=int, choices=sorted(all_todos()), help="without it, the whole file")
    commands.add_parser("doctor", help="versions, paths, what is missing and how to get it")
    show = commands.add_parser("demo", help="the refund story: blocked, killed, resumed, one refund")
    show.add_argument("--naive", action="store_true", help="with a bank that does not deduplicate: two refunds")
    show.add_argument("--kill-at", choices=sorted(POINTS), metavar="POINT", default="pay_back.effect", help=_points())

    story = commands.add_parser("refund", help="the same story by hand", description=refund.__doc__)
    steps = "; ".join(f"{name}: {step.__doc__}" for name, step in refund.STEPS.items())
    story.add_argument("step", choices=list(refund.STEPS), metavar="STEP", help=steps)
    story.add_argument(
        "--store", type=_file, metavar="FILE", default="refund.db", help="where history is kept (default: %(default)s)"
    )
    story.add_argument(
        "--id", dest="workflow_id", type=_name, metavar="ID", default="refund-1", help="the run (default: %(default)s)"
    )
    story.add_argument("--amount", type=_number(1), default=30, help="for start (default: %(default)s)")
    story.add_argument(
        "--by", type=_name, metavar="NAME", default="Ana", help="for approve: who decides (default: %(default)s)"
    )
    story.add_argument("--decline", action="store_true", help="for approve: say no")
    story.add_argument("--kill-at", choices=sorted(POINTS), metavar="POINT", help=_points())
    story.add_argument("--naive", action="store_true", help="the bank and the mailer do not deduplicate")
    story.add_argument("--flaky", type=_number(0), metavar="N", default=0, help="the bank refuses its first N calls")
    return top


def _points() -> str:
    return "kill this process (kill -9) at: " + ", ".join(POINTS)


ACTIONS: dict[str | None, Callable[[Console, argparse.Namespace], int]] = {
    None: progress.show_progress,
    "check": progress.check,
    "hint": progress.hint,
    "reset": progress.reset,
    "doctor": doctor.doctor,
    "demo": demo.demo,
    "refund": refund.refund,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit code; `durable-lab --help` lists them."""
    with screens() as (out, err):
        code = _answer(arguments, console_on(out), console_on(err))
        if out.lost and not isinstance(out.lost, BrokenPipeError):  # a reader such as `head` closes the pipe on purpose
            print(f"durable-lab: the output was lost: {out.lost}. What is recorded stays.", file=err)
        return code or (LOST if out.lost else 0)


def _answer(arguments: Sequence[str] | None, console: Console, complaints: Console) -> int:
    try:
        given = parser().parse_args(arguments)
    except SystemExit as ended:  # --help, or wrong usage
        return int(ended.code or 0)
    try:
        return ACTIONS[given.command](console, given)
    except (StudyError, StoreError, OSError) as error:
        for line in f"durable-lab: {error}".split("\n"):
            say(complaints, line, whole=not complaints.is_terminal or line.startswith("next: "))
        return 2
    except KeyboardInterrupt:
        say(complaints, "durable-lab: stopped. What was recorded is kept.")
        return 130
