"""`@todo(n)`: a method that is written in a cell goes into the engine's file, so that notebook and file stay one."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from durable_lab import source, study, todos
from durable_lab.files import keep, rewrite

Method = Callable[..., Any]


def todo(number: int) -> Callable[[Method], Method]:
    """Put the method below into the student's `lab/engine.py`; `engine()` reads the file anew when it has changed.

    A cell that is still a stub never overwrites a method that is written in the file. What a cell does overwrite is
    kept in a backup beside the file. Prints what it did; raises nothing.
    """

    def put(method: Method) -> Method:
        try:
            print(_put(number, method))
        except (study.StudyError, SyntaxError, OSError) as error:
            print(f"TODO {number} is not taken over: {error}")
        return method

    return put


def _put(number: int, method: Method) -> str:
    engine = study.current()
    part = next((p for p in todos.all_todos()[number].parts if p.function.split(".")[1] == method.__name__), None)
    if part is None:
        names = ", ".join(p.function.split(".")[1] for p in todos.all_todos()[number].parts)
        return f"TODO {number} is written in {names}, but this cell defines {method.__name__}. Keep the name."
    cell = _text_of(method)
    if engine.name != "lab":
        return f"LAB_MODULE is {engine.name}, so no file is changed."
    text = engine.path.read_text(encoding="utf-8")
    old = textwrap.dedent(source.text_of(text, part.function))
    line = source.functions(text)[part.function].lineno
    where = f"{study.shown(engine.path)}, line {line}"
    if todos.open_todos(cell):
        if todos.open_todos(old):
            return f"TODO {number}: {part.function} is still to be written, in this cell or in {where}."
        return (
            f"TODO {number}: {part.function} is written in {where}. This cell is still the stub, so the file is kept."
        )
    if cell == old:
        return f"TODO {number}: {part.function} is the same here and in {where}."
    kept = "" if todos.open_todos(old) else f" The text that stood there is kept in {keep(engine.path, text).name}."
    new = source.replace_function(text, part.function, textwrap.indent(cell, "    "))
    rewrite(engine.path, new)
    return f"TODO {number}: {part.function} is written into {where}.{kept}"


def _text_of(method: Method) -> str:
    """The method's source without `@todo(...)` and without indentation, as it will stand in a class."""
    text = textwrap.dedent(inspect.getsource(method))
    node = next(iter(source.functions(text).values()))
    return "\n".join(text.splitlines()[node.lineno - 1 : node.end_lineno])
