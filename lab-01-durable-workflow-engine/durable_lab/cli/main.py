"""The commands of `durable-lab`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import typer

from durable_lab.cli.command_line import CommandLine
from durable_lab.cli.crash import crash
from durable_lab.cli.demo import demo
from durable_lab.cli.doctor import doctor
from durable_lab.cli.output import LOST
from durable_lab.cli.progress import check, hint, show_progress
from durable_lab.cli.refund import refund
from durable_lab.cli.reset import reset
from durable_lab.stores import StoreError
from durable_lab.study import StudyError


def about(context: typer.Context) -> int | None:
    """Without a command: where you stand (0 to 14), and what is next."""
    return None if context.invoked_subcommand else show_progress(context.obj)


DURABLE_LAB = CommandLine(
    "durable-lab",
    about,
    (check, hint, reset, doctor, demo, refund, crash),
    errors=(StudyError, StoreError, OSError),
    stopped="stopped. What was recorded is kept.",
    epilog="LAB_MODULE=lab or LAB_MODULE=solution chooses the engine. Every answer says which one ran. "
    "Exit codes: 0 done; 1 a test, a run or a check failed; 2 refused, with the reason; "
    f"{LOST} done, but the output was lost; 130 stopped by Ctrl-C.",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit code; `durable-lab --help` lists them."""
    return DURABLE_LAB.run(sys.argv[1:] if arguments is None else arguments)
