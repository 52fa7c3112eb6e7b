"""The five TODOs: their texts and hints, their lines in a file, and which of them are open."""

from __future__ import annotations

import ast
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from durable_lab import source

SKELETON = Path(__file__).with_name("skeleton")
_MARK = re.compile(r"TODO (\d+):")  # of a stub: raise NotImplementedError("TODO 3: ...")


@dataclass(frozen=True)
class Part:
    """One function that the student writes. `text` says what it must do."""

    function: str
    text: str


@dataclass(frozen=True)
class Todo:
    """One TODO. `lesson` is where to read about it; `hints` lead almost to the answer, and never give it."""

    number: int
    title: str
    lesson: str
    parts: tuple[Part, ...]
    hints: tuple[str, ...]


@cache
def all_todos() -> dict[int, Todo]:
    """The TODOs by number, in order of work: first those that the others need."""
    data = tomllib.loads(Path(__file__).with_name("todos.toml").read_text(encoding="utf-8"))
    made = {}
    for entry in data["todo"]:
        parts = tuple(Part(**part) for part in entry.pop("parts"))
        made[entry["number"]] = Todo(parts=parts, hints=tuple(entry.pop("hints")), **entry)
    return made


def open_todos(text: str) -> dict[int, int]:
    """The TODOs that are stubs in this engine's source: number -> line of the first stub, in order of work."""
    found: dict[int, int] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Raise) and (number := _stub_number(node)):
            found[number] = min(found.get(number, node.lineno), node.lineno)
    return {number: found[number] for number in all_todos() if number in found}


def _stub_number(node: ast.Raise) -> int | None:
    """The number in `raise NotImplementedError("TODO n: ...")`; None for any other raise."""
    match node.exc:
        case ast.Call(func=ast.Name(id="NotImplementedError"), args=[ast.Constant(value=str(text))]):
            found = _MARK.match(text)
            return int(found[1]) if found else None
    return None


def stub_behind(error: object) -> int | None:
    """The number of the TODO whose stub raised this error; None for any other error.

    The error may be the text in `RunResult.error`, because not every student's engine sets `RunResult.cause`.
    """
    name, _, message = error.partition(": ") if isinstance(error, str) else (type(error).__name__, "", str(error))
    found = _MARK.match(message) if name == NotImplementedError.__name__ else None
    return int(found[1]) if found else None


def reset(text: str, number: int) -> str:
    """The engine's source with TODO `number` as released. Raises SyntaxError, and KeyError if a class is missing."""
    pristine = (SKELETON / "engine.py").read_text(encoding="utf-8")
    for part in all_todos()[number].parts:
        text = source.put_function(text, part.function, source.text_of(pristine, part.function))
    return text
