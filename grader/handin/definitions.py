"""What the student's functions need that the engine has not: helpers, constants and imports in cells of their own."""

from __future__ import annotations

import ast
import dis
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from types import CodeType

from grader.handin import limits
from grader.handin.files import shown
from grader.handin.module import BUILTINS
from grader.handin.syntax import Source, Unreadable, compiled

_LOADS = frozenset({"LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"})
_FUNCTION = 0x2 | 0x1  # CO_NEWLOCALS and CO_OPTIMIZED: the body of a class has neither
_LAB = frozenset({"lab", "durable_lab", "solution", "grader"})


@dataclass(frozen=True)
class Needs:
    """The names of a module that code refers to: at once, or only when it is called."""

    at_once: frozenset[str]
    later: frozenset[str]

    @property
    def all(self) -> frozenset[str]:
        return self.at_once | self.later


def needs(nodes: list[ast.stmt]) -> Needs:
    """What these statements refer to and do not define. Raises Unreadable."""
    top = compiled(nodes)
    at_once: set[str] = set()
    later: set[str] = set()
    stored: set[str] = set()
    waiting: list[tuple[CodeType, bool]] = [(top, True)]
    while waiting:
        code, now = waiting.pop()
        own: set[str] = set()
        for step in dis.get_instructions(code):
            if step.opname in _LOADS and step.argval not in own:
                (at_once if now else later).add(step.argval)
            elif step.opname == "STORE_NAME":
                own.add(step.argval)
        stored |= own if code is top else set()
        inner = [const for const in code.co_consts if isinstance(const, CodeType)]
        waiting += [(const, now and not const.co_flags & _FUNCTION) for const in inner]
    return Needs(frozenset(at_once - stored), frozenset(later - stored))


@dataclass(frozen=True, eq=False)
class Definition:
    """A function, class, constant or import in a cell of the student's own."""

    name: str
    node: ast.stmt
    read: Source
    where: str
    scope: str  # the notebook

    @cached_property
    def text(self) -> str:
        """The statement; of an import, what imports this name."""
        return _import_of(self.node, self.name) or _text(self.read, self.node)

    @property
    def is_import(self) -> bool:
        return isinstance(self.node, (ast.Import, ast.ImportFrom))


@dataclass
class Pool:
    """All definitions of the student's own cells, in the order of the cells. A later one of a notebook counts."""

    found: dict[tuple[str, str], Definition] = field(default_factory=dict)  # by notebook and name
    scopes: dict[str, str] = field(default_factory=dict)  # the first notebook that defines a name

    def add(self, read: Source, where: str, scope: str, but: Iterable[str]) -> None:
        """The definitions at the left margin of a cell, but for these names."""
        for node in read.tree.body:
            for name in set(_names(node)) - set(but):
                self.found.pop((scope, name), None)  # the last one, and in its place
                self.found[scope, name] = Definition(name, node, read, where, scope)
                self.scopes.setdefault(name, scope)

    def get(self, name: str, scope: str) -> Definition | None:
        """What this name means in a notebook; or in the first other one that knows it."""
        return self.found.get((scope, name)) or self.found.get((self.scopes.get(name, ""), name))


@dataclass(frozen=True)
class Taken:
    """The definitions that some functions need, in the order of their cells; and what was not taken, and why."""

    imports: tuple[Definition, ...] = ()
    above: tuple[Definition, ...] = ()  # needed at once
    below: tuple[Definition, ...] = ()
    said: tuple[str, ...] = ()


def taken(wanted: Iterable[tuple[str, Needs]], pool: Pool, engine: frozenset[str]) -> Taken:
    """What the functions with these needs (by notebook) need of the pool, where the engine defines these names."""
    if not pool.found:
        return Taken()
    judge = _Judge(pool, engine)
    chosen: dict[int, Definition] = {}
    early: set[int] = set()
    waiting = [(name, scope, name in need.at_once) for scope, need in wanted for name in sorted(need.all)]
    seen = set()
    while waiting:
        name, scope, now = waiting.pop()
        definition = judge.find(name, scope)
        if definition is None or (id(definition), now) in seen:
            continue
        seen.add((id(definition), now))
        if len(chosen) >= limits.DEFINITIONS or judge.refuses(definition):
            continue
        chosen[id(definition)] = definition
        early |= {id(definition)} if now else set()
        its = needs([definition.node])
        waiting += [(inner, definition.scope, now and inner in its.at_once) for inner in sorted(its.all)]
    order = {id(definition): place for place, definition in enumerate(pool.found.values())}
    made = sorted(chosen.values(), key=lambda definition: order[id(definition)])
    rest = [definition for definition in made if not definition.is_import]
    return Taken(
        tuple(definition for definition in made if definition.is_import),
        tuple(definition for definition in rest if id(definition) in early),
        tuple(definition for definition in rest if id(definition) not in early),
        tuple(sorted(filter(None, {judge.verdicts[key] for key in judge.asked}))),
    )


class _Judge:
    """Which definitions of a pool can stand in an engine that defines these names."""

    def __init__(self, pool: Pool, engine: frozenset[str]) -> None:
        self.pool, self.engine = pool, engine
        self.verdicts: dict[int, str] = {}  # a definition's id -> why not, as a sentence; empty where it can
        self.asked: dict[int, None] = {}

    def find(self, name: str, scope: str) -> Definition | None:
        return self.pool.get(name, scope)

    def refuses(self, definition: Definition, depth: int = 0) -> bool:
        """Is it not taken? What is not an engine's affair is passed over in silence."""
        key = id(definition)
        self.asked |= {} if depth else {key: None}
        if key not in self.verdicts and len(self.verdicts) > 5 * limits.DEFINITIONS:
            return True
        if key not in self.verdicts:
            self.verdicts[key] = "?"  # while it is looked at: a definition that needs itself at once
            name, where = shown(definition.name, 40), definition.where
            why = self._why_not(definition, depth)
            self.verdicts[key] = f"`{name}` in {where} was not taken: {why}." if why else ""
        own_alias = definition.name in self.engine and _is_lab(definition.node)
        if own_alias:
            self.verdicts[key] = ""
        return own_alias or bool(self.verdicts[key])

    def _why_not(self, definition: Definition, depth: int) -> str:
        names = {definition.name} if definition.is_import else set(_names(definition.node))
        if names & self.engine:
            return "the engine has its own"
        if definition.is_import:
            strange = [module for module in _modules(definition.node) if module not in sys.stdlib_module_names]
            return "an engine imports nothing but Python's own modules" if strange else ""
        try:
            need = needs([definition.node])
        except Unreadable as error:
            return f"it {error}"
        for inner in sorted(need.at_once - self.engine):
            other = self.find(inner, definition.scope)
            if (other is None and inner not in BUILTINS) or (
                other and (depth > 20 or other is definition or self.refuses(other, depth + 1))
            ):
                return f"it needs `{shown(inner, 40)}` at once, which no engine has"
        return ""


def _is_lab(node: ast.stmt) -> bool:
    """Does it come from the lab itself: `from lab.engine import Command`, `Command = engine().Command`?"""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return bool(_LAB & set(_modules(node)))
    return any(isinstance(part, ast.Name) and part.id == "engine" for part in ast.walk(node))


def _modules(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return ["." if node.level else (node.module or ".").partition(".")[0]]
    return [alias.name.partition(".")[0] for alias in node.names] if isinstance(node, ast.Import) else []


def _names(node: ast.stmt) -> Iterator[str]:
    """What a statement defines, if it is one that is taken."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.ImportFrom(module="__future__"):
            return
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from ((alias.asname or alias.name).partition(".")[0] for alias in names if alias.name != "*")
        case ast.Assign(targets=targets):
            parts = [
                part for target in targets for part in (target.elts if isinstance(target, ast.Tuple) else [target])
            ]
            if all(isinstance(part, ast.Name) for part in parts):
                yield from (part.id for part in parts if isinstance(part, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
            yield name


def _import_of(node: ast.stmt, name: str) -> str:
    """The import of this one name; empty for a statement that is none."""
    if not isinstance(node, (ast.Import, ast.ImportFrom)):
        return ""
    alias = next(alias for alias in node.names if (alias.asname or alias.name.partition(".")[0]) == name)
    what = alias.name + (f" as {alias.asname}" if alias.asname else "")
    return f"from {node.module} import {what}" if isinstance(node, ast.ImportFrom) else f"import {what}"


def _text(read: Source, node: ast.stmt) -> str:
    first = min([node.lineno, *(mark.lineno for mark in getattr(node, "decorator_list", []))])
    lines = read.lines[first - 1 : node.end_lineno]
    if node.end_lineno == first and (node.col_offset or len(lines[0].encode()) > (node.end_col_offset or 0)):
        return ast.get_source_segment(read.text, node) or ""  # it shares its line
    return "\n".join(lines)
