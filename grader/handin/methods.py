"""The functions that a student writes, wherever they stand: cells of a notebook, or the engine's file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

from durable_lab import source
from durable_lab.todos import SKELETON
from grader.handin.notebook import Cell
from grader.handin.release import METHODS, PARTS, Release
from grader.handin.syntax import Source, Unreadable, compiled, indented, literal_lines, moved_left, readable

_WRITTEN_HERE = re.compile(
    rf"^[ \t]*(?:async[ \t]+)?def[ \t]+({'|'.join(METHODS)})[ \t]*(?:\[[^\n]*?\])?\(\s*self\b", re.MULTILINE
)
_DECORATED = re.compile(r"^[ \t]*@todo[ \t]*\(", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(```|~~~).*$", re.MULTILINE)
STUB, BEGUN, WRITTEN = range(3)
BY_ID, BY_MARK, BY_COPY, BY_NAME = range(4)  # how a cell was found, the surest way first


@dataclass(frozen=True)
class Method:
    """One function of a TODO. `why` is set where it cannot be used; then there is no text."""

    part: str  # "Context.now"
    where: str  # "notebooks/03_determinism.ipynb, cell 7" or "lab/engine.py, line 210"
    text: str = ""  # at the left margin
    node: Any = None  # ast.FunctionDef | ast.AsyncFunctionDef, where `text` was read
    state: int = WRITTEN
    why: str = ""
    notes: tuple[str, ...] = ()  # what was put right, for "It ..."
    found: int = BY_ID
    scope: str = ""  # the notebook it stands in
    order: int = 0  # of its cell, over all notebooks
    runs: bool = True  # in a code cell under `@todo`, so that the student's engine had it when the cell was run
    newer: str = ""  # the version of Python that reads it, where `why` is that this one is too old

    def block(self, margin: str) -> list[str]:
        """Its lines as they stand in a class."""
        return indented(self.text, self._literals, margin).split("\n")

    @cached_property
    def _literals(self) -> frozenset[int]:
        return literal_lines(self.node, self.node.lineno)


def in_cell(cell: Cell, where: str, release: Release) -> tuple[list[Method], Source | None]:
    """The TODO functions in a cell, and the cell's text as Python (None where it was not looked at)."""
    lesson = release.owners.get(cell.id)
    wanted = lesson.todos.get(cell.id) if lesson else None
    if wanted and lesson and cell.tidy == lesson.texts[cell.id]:
        return [replace(stub(wanted), where=where)], None
    marked = bool(_DECORATED.search(cell.source))
    if not wanted and (cell.tidy in release.texts or not (marked or _WRITTEN_HERE.search(cell.source))):
        return [], None
    if not wanted and not marked and cell.kind != "code":
        return [], None
    text, notes = cell.source, []
    if cell.kind != "code":
        text, notes = _FENCE.sub("", text), [f"its cell is of the kind {cell.kind[:20]}, and counts all the same"]
    try:
        read = readable(text)
    except Unreadable as error:
        names = {METHODS[name] for name in _WRITTEN_HERE.findall(text)} or ({wanted} if wanted else set())
        parts = [part for part in PARTS if part in names]
        runs = marked and cell.kind == "code"
        bad = Method("", where, why=str(error), newer=error.newer, runs=runs)
        return [replace(bad, part=part, found=BY_ID if part == wanted else BY_MARK) for part in parts], None
    found = [replace(m, runs=m.runs and cell.kind == "code") for m in _functions(read, wanted, where)]
    return [replace(method, notes=(*notes, *read.notes, *method.notes)) for method in found], read


def _functions(read: Source, wanted: str | None, where: str) -> Iterator[Method]:
    """The TODO functions of a cell's text. A later one of the same name takes the place of an earlier one."""
    found: dict[str, tuple[source.Function, int, list[str]]] = {}
    others = []
    for owner, node in _candidates(read.tree.body):
        marks = [mark for mark in node.decorator_list if _is_mark(mark)]
        part = METHODS.get(node.name)
        if not part or (not marks and (owner not in ("", part.partition(".")[0]) or not _takes_self(node))):
            others += [node] if marks else []
            continue
        way = BY_ID if part == wanted else BY_MARK if marks else BY_NAME
        notes = [] if marks else ["the line `@todo` is missing above it"]
        if marks and not any(_number(mark) == PARTS[part] for mark in marks):
            notes = [f"another number stands in its `@todo`, and its name says that it is TODO {PARTS[part]}"]
        found[part] = node, way, notes
    if wanted and wanted not in found and len(others) == 1:
        old, name = others[0].name, wanted.rpartition(".")[2]
        method = _taken(read, others[0], wanted, where, BY_ID, [f"it was called `{old[:40]}`, and was renamed {name}"])
        text = re.sub(rf"\bdef(\s+){re.escape(old)}\b", rf"def\g<1>{name}", method.text, count=1)
        yield replace(method, text=text)
    for part, (node, way, notes) in found.items():
        runs = any(_is_mark(mark) for mark in node.decorator_list)
        yield replace(_taken(read, node, part, where, way, notes), runs=runs)


def _candidates(body: list[ast.stmt]) -> Iterator[tuple[str, source.Function]]:
    for node in body:
        if isinstance(node, source.Function):
            yield "", node
        elif isinstance(node, ast.ClassDef):
            yield from ((node.name, inner) for inner in node.body if isinstance(inner, source.Function))


def _is_mark(decorator: ast.expr) -> bool:
    call = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(call, ast.Name) and call.id == "todo"


def _number(decorator: ast.expr) -> object:
    match decorator:
        case ast.Call(args=[ast.Constant(value=number)]):
            return number
    return None


def _takes_self(node: source.Function) -> bool:
    return bool(node.args.args) and node.args.args[0].arg == "self"


def _taken(read: Source, node: source.Function, part: str, where: str, found: int, notes: Iterable[str] = ()) -> Method:
    """The method that a function of a cell becomes. Its decorators go, as `@todo` itself does it."""
    lines = read.lines[node.lineno - 1 : node.end_lineno]
    text = moved_left(lines, node, node.lineno)
    other = [mark for mark in node.decorator_list if not _is_mark(mark)]
    said = [*notes, *(["what stands above it with `@` was left out"] if other else [])]
    node.decorator_list = []
    return usable(Method(part, where, text, node, found=found, notes=tuple(said)))


def usable(method: Method) -> Method:
    """The method with its state; or with the reason why it cannot be used."""
    try:
        compiled([method.node])
    except Unreadable as error:
        return replace(method, why=str(error), text="", node=None)
    return replace(method, state=_state(method))


def _state(method: Method) -> int:
    """Is there anything in it that was not handed out, and is the line that stops a stub gone?"""
    given, last_first = _given(method.part), reversed(method.node.body)
    if all(_is_empty(line) or shape(line) in given for line in last_first):
        return STUB
    return BEGUN if "NotImplementedError" in method.text and _stops_as_a_stub(method.node) else WRITTEN


def _stops_as_a_stub(node: ast.stmt) -> bool:
    """Does the line `raise NotImplementedError("TODO ...")` stand in it?"""
    return any(
        isinstance(part, ast.Raise)
        and isinstance(part.exc, ast.Call)
        and isinstance(part.exc.func, ast.Name)
        and part.exc.func.id == "NotImplementedError"
        and any(_says_todo(word) for word in part.exc.args)
        for part in ast.walk(node)
    )


def _says_todo(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("TODO")


def _is_empty(node: ast.stmt) -> bool:
    """`pass`, a text or dots, or `raise NotImplementedError`, whatever it says."""
    match node:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Raise(exc=ast.Name(id="NotImplementedError") | ast.Call(func=ast.Name(id="NotImplementedError"))):
            return True
    return False


@cache
def _given(part: str) -> frozenset[tuple[object, ...]]:
    return frozenset(shape(line) for line in _skeleton()[part].body)


@cache
def stub(part: str) -> Method:
    """The function as it was handed out."""
    node = _skeleton()[part]
    lines = (SKELETON / "engine.py").read_text(encoding="utf-8").split("\n")[node.lineno - 1 : node.end_lineno]
    return Method(part, "", moved_left(lines, node, node.lineno), node, STUB)


@cache
def _skeleton() -> dict[str, source.Function]:
    return source.functions((SKELETON / "engine.py").read_text(encoding="utf-8"))


def shape(node: ast.AST) -> tuple[object, ...]:
    """The same for texts that mean the same: without comments, and however texts over several lines are indented."""
    made: list[object] = []
    for part in ast.walk(node):
        made.append(type(part).__name__)
        for name, value in ast.iter_fields(part):
            if isinstance(value, list):
                made.append((name, len(value), *(item for item in value if isinstance(item, str))))
            elif isinstance(value, ast.AST):
                made.append(name)
            elif isinstance(value, str):
                made.append((name, re.sub(r"\n[ \t]*", "\n", value)))
            else:
                made.append((name, type(value).__name__, value))
    return tuple(made)


def same(one: Method, other: Method) -> bool:
    """Do these two mean the same?"""
    return one.text == other.text or shape(one.node) == shape(other.node)
