"""`unpack`: from a collected archive to one folder for each student."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.display import count, line, pasted

_SHOWN = 10  # names


def unpack(
    context: typer.Context,
    archive: Annotated[
        Path,
        typer.Argument(
            metavar="ARCHIVE", help="a folder, or a zip or tar from Moodle, Canvas, Blackboard or Gradescope"
        ),
    ],
    into: Annotated[Path, typer.Argument(metavar="INTO", help="gets a sub-folder for each student")],
) -> int:
    """Unpack a collected archive into a folder for each student.

    Says who handed in and what was left out; the reports say it, too. No points are taken for it here.
    """
    from grader.handin.archive import unpack as take

    made = take(archive, into)
    said = [*made.refusals, *(f"{one.student}: {sentence}" for one in made for sentence in one.refusals)]
    said += [*made.passed_over, *(f"{one.student}: {sentence}" for one in made for sentence in one.passed_over)]
    said = [line(sentence) for sentence in said]
    said += [f"no file   {one.student}: only {one.only} was handed in; read it in the LMS" for one in made if one.only]
    names = ", ".join(one.student for one in made[:_SHOWN]) + (", ..." if len(made) > _SHOWN else "")
    said.append(f"{count(len(made), 'student')} in {line(str(into))}: {names}")
    said.append(f"next      lab-grader grade {pasted(into)}")
    context.obj.say(*said)
    return 0 if made else 1
