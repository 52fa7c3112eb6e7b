"""`reset`: back to the code as it was handed out, with a backup of the student's."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from durable_lab import study, todos
from durable_lab.cli.output import say
from durable_lab.cli.progress import A_TODO
from durable_lab.files import aside_of, keep, rewrite, rewrite_python


def reset(context: typer.Context, todo: Annotated[int | None, A_TODO] = None) -> int:
    """Put a TODO, or the whole file, back as handed out; keeps a backup.

    The backup is a file beside lab/engine.py.
    """
    console: Console = context.obj
    engine = study.named()
    if engine.name != "lab":
        raise study.StudyError("reset works on your own engine: unset LAB_MODULE, or set it to lab.")
    if todo is None or not engine.path.exists():
        return _reset_file(console, engine)
    old = engine.text()
    try:
        new = todos.reset(old, todo)
    except KeyError as error:
        raise study.StudyError(
            f"{study.shown(engine.path)} has no class {error.args[0]} any more. `durable-lab reset` without a number "
            "puts back the whole file and keeps yours beside it."
        ) from None
    if new == old:
        say(console, f"TODO {todo} is as it was handed out already; nothing is changed.")
        return 0
    backup = keep(engine.path)
    rewrite_python(engine.path, new)
    say(console, f"TODO {todo} is as it was handed out. Your own text is kept in {study.shown(backup)}.")
    return 0


def _reset_file(console: Console, engine: study.Study) -> int:
    """Write the whole file as it was handed out. A file or folder of its name is kept under another name."""
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
        said += f" What was there is now called {study.shown(aside)}."
    engine.path.parent.mkdir(parents=True, exist_ok=True)
    rewrite(engine.path, pristine)
    for name in ("__init__.py", "refund.py"):
        if not engine.path.with_name(name).exists():
            rewrite(engine.path.with_name(name), (todos.SKELETON / name).read_text(encoding="utf-8"))
    say(console, said)
    return 0
