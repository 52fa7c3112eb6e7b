"""`unpack`: from an archive as an LMS or a person made it to a folder for each student."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from grader.display import count, line, pasted
from grader.errors import GraderError

_SHOWN = 10  # names


@dataclass(frozen=True)
class Unpack:
    archive: Path
    into: Path


def unpack(console: Console, given: Unpack) -> int:
    """Unpack, and say who handed in and what was left out. No points are taken for it here: the reports say it, too."""
    from grader.handin.archive import ArchiveError
    from grader.handin.archive import unpack as take

    try:
        made = take(given.archive, given.into)
    except ArchiveError as error:
        raise GraderError(str(error)) from None
    said = [*made.refusals, *(f"{one.student}: {sentence}" for one in made for sentence in one.refusals)]
    said += [*made.passed_over, *(f"{one.student}: {sentence}" for one in made for sentence in one.passed_over)]
    said = [line(sentence) for sentence in said]
    said += [f"no file   {one.student}: only {one.only} was handed in; read it in the LMS" for one in made if one.only]
    names = ", ".join(one.student for one in made[:_SHOWN]) + (", ..." if len(made) > _SHOWN else "")
    said.append(f"{count(len(made), 'student')} in {given.into}: {names}")
    said.append(f"next      lab-grader grade {pasted(given.into)}")
    for words in said:
        console.print(escape(words), soft_wrap=True)
    return 0 if made else 1


def add_commands(commands: Any) -> None:
    """The parser of `unpack`."""
    made = commands.add_parser("unpack", help="from a collected archive to a folder for each student")
    archive = "a zip or tar from Moodle, Canvas, Blackboard or Gradescope, or a folder"
    made.add_argument("archive", type=Path, metavar="ARCHIVE", help=archive)
    made.add_argument("into", type=Path, metavar="INTO", help="gets a sub-folder for each student")
