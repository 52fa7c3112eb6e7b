"""What several commands of `lab-grader` share: their options, and how they print."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from durable_lab.cli.command_line import whole
from durable_lab.printable import printable
from grader.display import KEPT
from grader.report import Source
from grader.rubric import weights

ALLOW = "--not-isolated-i-know-the-students"


@dataclass(frozen=True)
class Setup:
    """The `obj` of every command's context."""

    console: Console
    grade: str  # the function that grades one submission, "package.module:function"

    def say(self, *texts: str) -> None:
        """Print texts, each from a new line. No line is broken: a path or a command in it can be copied."""
        for text in texts:
            self.console.print(printable(text, KEPT), soft_wrap=True)


def weighed(command: Callable[..., int]) -> Callable[..., int]:
    """The command, refused with a RubricError before it does anything if the rubric is wrong."""

    @wraps(command)
    def checked(*given: Any, **options: Any) -> int:
        weights()
        return command(*given, **options)

    return checked


Course = Annotated[Path, typer.Argument(metavar="COURSE", help="the course folder")]
Marks = Annotated[Path, typer.Option("--out", metavar="DIR", help="where `grade` put the marks")]
NotIsolated = Annotated[bool, typer.Option(ALLOW, help="run their code without a sandbox if there is none")]
Counts = Annotated[
    Source,
    typer.Option(
        "--from",
        help="what counts: the notebooks (lab/engine.py if there are none), or always the file lab/engine.py",
    ),
]

# of `grade` and `autograde`
Out = Annotated[Path | None, typer.Option(metavar="DIR", help="where marks and reports go")]
Jobs = Annotated[
    int | None, typer.Option(metavar="N", parser=whole(1), help="how many at once; without it, one for each core")
]
Again = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="grade the student of exactly this name again; can be given several times"),
]
AgainAll = Annotated[bool, typer.Option("--again-all", help="grade everyone again")]
Seconds = Annotated[float, typer.Option(hidden=True)]
