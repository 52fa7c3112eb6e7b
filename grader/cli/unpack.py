"""`unpack`: from an archive as Moodle, Canvas or a person made it to a folder for each student."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from grader.klass.errors import GraderError
from grader.klass.plain import count, line


@dataclass(frozen=True)
class Unpack:
    archive: Path
    into: Path


def unpack(console: Console, given: Unpack) -> int:
    """Unpack, and say what was left out. It costs nobody anything yet: reports say it, too."""
    from grader.submission.archive import ArchiveError
    from grader.submission.archive import unpack as take

    try:
        made = take(given.archive, given.into)
    except ArchiveError as error:
        raise GraderError(str(error)) from None
    said = [*made.refusals, *(f"{one.student}: {sentence}" for one in made for sentence in one.refusals)]
    for sentence in said:
        console.print(escape(f"left out  {line(sentence)}"), soft_wrap=True)
    console.print(escape(f"{count(len(made), 'student')} in {given.into}"), soft_wrap=True)
    console.print(escape(f"next      lab-grader grade {given.into}"), soft_wrap=True)
    return 0 if made else 1


def add_commands(commands: Any) -> None:
    """The parser of `unpack`."""
    made = commands.add_parser("unpack", help="from a collected archive to a folder for each student")
    made.add_argument("archive", type=Path, metavar="ARCHIVE", help="a zip or tar from Moodle or Canvas, or a folder")
    made.add_argument("into", type=Path, metavar="INTO", help="gets a sub-folder for each student")
