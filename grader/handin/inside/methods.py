"""The functions that a student writes, whether they stand in the cells of a notebook or in the engine's file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

from grader.handin.inside.definitions import Needs, needs
from grader.handin.inside.document import BY_FILE, BY_ID, BY_MARK, BY_NAME, Place
from grader.handin.inside.lab import Lab
from grader.handin.inside.module import Function, Module, skeleton
from grader.handin.inside.syntax import Source, Unreadable, compiled, indented, literal_lines, moved_left

STUB, BEGUN, WRITTEN = range(3)
NOWHERE = Place("")


@dataclass(frozen=True)
class Method:
    """One function of a TODO. `why` is set if it cannot be used; it has no text then."""

    part: str  # "Context.now"
    place: Place
    text: str = ""  # at the left margin
    node: Any = None  # ast.FunctionDef | ast.AsyncFunctionDef, as `text` was parsed
    state: int = WRITTEN
    why: str = ""
    notes: tuple[str, ...] = ()  # what was put right, as the end of "It ..."
    found: str = BY_FILE
    scope: str = ""  # the notebook it stands in
    order: int = 0  # of its cell, over all notebooks
    runs: bool = True  # in a code cell under `@todo`, so that the student's engine had it when the cell was run
    newer: str = ""  # the version of Python that reads it, if `why` is that this one is too old

    def block(self, margin: str) -> list[str]:
        """Its lines as they stand in a class."""
        return indented(self.text, self._literals, margin).split("\n")

    @cached_property
    def needs(self) -> Needs:
        """The names of a module that it refers to."""
        return needs([self.node])

    @cached_property
    def _literals(self) -> frozenset[int]:
        return literal_lines(self.node, self.node.lineno)


def method_of(source: Module, part: str, place: Place = NOWHERE, **more: Any) -> Method:
    """The function `part` of this module. Raises KeyError."""
    node = source.functions[part]
    lines = list(source.lines[node.lineno - 1 : node.end_lineno])
    return Method(part, place, moved_left(lines, node, node.lineno), node, **more)


@cache
def stub(lab: Lab, part: str) -> Method:
    """The function as it was handed out."""
    return method_of(skeleton(lab), part, state=STUB)


def in_cell(read: Source, place: Place, wanted: str | None, lab: Lab) -> Iterator[Method]:
    """The TODO functions of a cell's text. A later one of the same name replaces an earlier one.

    wanted  the function that the released cell is for
    """
    found: dict[str, tuple[Function, str, list[str]]] = {}
    others = []
    for owner, node in _candidates(read.tree.body):
        marks = [mark for mark in node.decorator_list if _is_mark(mark)]
        part = lab.methods.get(node.name)
        if not part or (not marks and (owner not in ("", part.partition(".")[0]) or not _takes_self(node))):
            others += [node] if marks else []
            continue
        way = BY_ID if part == wanted else BY_MARK if marks else BY_NAME
        notes = [] if marks else ["the line `@todo` is missing above it"]
        if marks and not any(_number(mark) == lab.parts[part] for mark in marks):
            notes = [f"its `@todo` has another number, and its name shows that it is TODO {lab.parts[part]}"]
        found[part] = node, way, notes
    if wanted and wanted not in found and len(others) == 1:
        old, name = others[0].name, wanted.rpartition(".")[2]
        notes = [f"it was called `{old[:40]}`, and was renamed {name}"]
        method = _taken(read, others[0], Method(wanted, place, found=BY_ID), notes, lab)
        text = re.sub(rf"\bdef(\s+){re.escape(old)}\b", rf"def\g<1>{name}", method.text, count=1)
        yield replace(method, text=text)
    for part, (node, way, notes) in found.items():
        runs = any(_is_mark(mark) for mark in node.decorator_list)
        yield _taken(read, node, Method(part, place, found=way, runs=runs), notes, lab)


def _candidates(body: list[ast.stmt]) -> Iterator[tuple[str, Function]]:
    for node in body:
        if isinstance(node, Function):
            yield "", node
        elif isinstance(node, ast.ClassDef):
            yield from ((node.name, inner) for inner in node.body if isinstance(inner, Function))


def _is_mark(decorator: ast.expr) -> bool:
    call = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(call, ast.Name) and call.id == "todo"


def _number(decorator: ast.expr) -> object:
    match decorator:
        case ast.Call(args=[ast.Constant(value=number)]):
            return number
    return None


def _takes_self(node: Function) -> bool:
    return bool(node.args.args) and node.args.args[0].arg == "self"


def _taken(read: Source, node: Function, method: Method, notes: Iterable[str], lab: Lab) -> Method:
    """The method with the text of a function in a cell. Decorators are removed, as `@todo` itself does it."""
    text = moved_left(read.lines[node.lineno - 1 : node.end_lineno], node, node.lineno)
    other = [mark for mark in node.decorator_list if not _is_mark(mark)]
    said = [*notes, *(["other decorators above it were removed"] if other else [])]
    node.decorator_list = []
    place = replace(method.place, line=node.lineno)
    return usable(replace(method, place=place, text=text, node=node, notes=tuple(said)), lab)


def usable(method: Method, lab: Lab) -> Method:
    """The method with its state; or with the reason why it cannot be used."""
    try:
        compiled([method.node])
    except Unreadable as error:
        return replace(method, why=str(error), text="", node=None)
    return replace(method, state=_state(method, lab))


def _state(method: Method, lab: Lab) -> int:
    """Whether there is anything in it that was not handed out, and whether the line that stops a stub is gone."""
    given, last_first = _given(lab, method.part), reversed(method.node.body)
    if all(_is_empty(line) or shape(line) in given for line in last_first):
        return STUB
    return BEGUN if "NotImplementedError" in method.text and _stops_as_a_stub(method.node) else WRITTEN


@cache
def _given(lab: Lab, part: str) -> frozenset[tuple[object, ...]]:
    return frozenset(shape(line) for line in skeleton(lab).functions[part].body)


def _stops_as_a_stub(node: ast.stmt) -> bool:
    """Whether the line `raise NotImplementedError("TODO ...")` stands in it."""
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
    """`pass`, a string or dots, or `raise NotImplementedError`, whatever it says."""
    match node:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Raise(exc=ast.Name(id="NotImplementedError") | ast.Call(func=ast.Name(id="NotImplementedError"))):
            return True
    return False


def shape(node: ast.AST) -> tuple[object, ...]:
    """Equal for sources that mean the same: comments, and the indentation within long strings, do not count."""
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
    """Whether these two mean the same."""
    return one.text == other.text or shape(one.node) == shape(other.node)
