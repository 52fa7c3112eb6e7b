"""What can be asked of `durable-lab`, and where it is answered."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from rich.console import Console

from durable_lab.cli import demo, doctor, progress, refund
from durable_lab.faults import POINTS
from durable_lab.stores import StoreError
from durable_lab.study import StudyError
from durable_lab.todos import all_todos


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="durable-lab",
        description="Without a command: where you stand (0 to 14), and what is next.",
        epilog="LAB_MODULE=lab or LAB_MODULE=solution chooses the engine. Every answer says which one ran.",
    )
    commands = top.add_subparsers(dest="command", metavar="command")

    check = commands.add_parser("check", help="run the 14 tests, or those of one TODO")
    check.add_argument("todo", nargs="?", type=int, choices=sorted(all_todos()), help="the number of a TODO")
    hint = commands.add_parser("hint", help="a question about a TODO, then two more rungs")
    hint.add_argument("todo", type=int, choices=sorted(all_todos()))
    hint.add_argument("rung", nargs="?", type=int, choices=(1, 2, 3), default=1)
    reset = commands.add_parser("reset", help="put a TODO, or the whole file, back as handed out; keeps a backup")
    reset.add_argument("todo", nargs="?", type=int, choices=sorted(all_todos()), help="without it, the whole file")
    commands.add_parser("doctor", help="versions, paths, what is missing and how to get it")
    show = commands.add_parser("demo", help="the refund story: blocked, killed, resumed, one refund")
    show.add_argument("--naive", action="store_true", help="with a bank that does not deduplicate: two refunds")
    show.add_argument("--kill-at", choices=sorted(POINTS), metavar="POINT", default="pay_back.effect", help=_points())

    story = commands.add_parser("refund", help="the same story by hand", description=refund.__doc__)
    story.add_argument("step", choices=sorted(refund.STEPS))
    story.add_argument(
        "--store", metavar="FILE", default="refund.db", help="where history is kept (default: %(default)s)"
    )
    story.add_argument(
        "--id", dest="workflow_id", metavar="ID", default="refund-1", help="the run (default: %(default)s)"
    )
    story.add_argument("--amount", type=int, default=30, help="for start (default: %(default)s)")
    story.add_argument("--by", metavar="NAME", default="Ana", help="for approve: who decides (default: %(default)s)")
    story.add_argument("--decline", action="store_true", help="for approve: say no")
    story.add_argument("--kill-at", choices=sorted(POINTS), metavar="POINT", help=_points())
    story.add_argument("--naive", action="store_true", help="the bank and the mailer do not deduplicate")
    story.add_argument("--flaky", type=int, metavar="N", default=0, help="the bank refuses its first N calls")
    return top


def _points() -> str:
    return "kill this process (kill -9) at: " + ", ".join(POINTS)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit code: 0 done, 1 not as it should be, 2 asked or set up wrongly."""
    given = parser().parse_args(arguments)
    console = Console(highlight=False)
    actions = {
        None: progress.show_progress,
        "check": progress.check,
        "hint": progress.hint,
        "reset": progress.reset,
        "doctor": doctor.doctor,
        "demo": demo.demo,
        "refund": refund.refund,
    }
    try:
        return actions[given.command](console, given)
    except (StudyError, StoreError, OSError) as error:
        print(f"durable-lab: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("durable-lab: stopped. What was recorded is kept.", file=sys.stderr)
        return 130
