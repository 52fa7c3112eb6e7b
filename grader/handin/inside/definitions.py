"""What the student's functions need beyond the engine: helpers, constants and imports in cells of their own."""

from __future__ import annotations

import ast
import dis
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import CodeType

from grader.handin.inside.document import Place
from grader.handin.inside.module import BUILTINS
from grader.handin.inside.names import shown
from grader.handin.inside.syntax import Source, Unreadable, compiled

_LOADS = frozenset({"LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"})
_FUNCTION = 0x2 | 0x1  # CO_NEWLOCALS and CO_OPTIMIZED: the body of a class has neither
_LAB = frozenset({"lab", "durable_lab", "solution", "grader"})


@dataclass(frozen=True)
class Needs:
    """The names of a module that code refers to: at once, or only when it is called."""

    at_once: frozenset[str] = frozenset()
    later: frozenset[str] = frozenset()

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
    place: Place
    order: int  # over all notebooks

    @cached_property
    def text(self) -> str:
        """The statement; of an import, what imports this name."""
        return _import_of(self.node, self.name) or _text(self.read, self.node)

    @property
    def is_import(self) -> bool:
        return isinstance(self.node, (ast.Import, ast.ImportFrom))

    @cached_property
    def error(self) -> str:
        """Why it cannot be compiled; "" if it can."""
        try:
            self.needs  # noqa: B018 - it is computed here
        except Unreadable as error:
            return str(error)
        return ""

    @cached_property
    def needs(self) -> Needs:
        return needs([self.node])


@dataclass
class Pool:
    """All definitions in the student's own cells. In one notebook, a later one of the same name counts."""

    found: dict[tuple[str, str], Definition] = field(default_factory=dict)  # by notebook and name
    first: dict[str, Definition] = field(default_factory=dict)  # by name: of the first notebook that defines it
    added: int = 0

    def add(self, read: Source, place: Place, but: Collection[str]) -> None:
        """The definitions at the left margin of a cell, except these names."""
        for node in read.tree.body:
            for name in set(_names(node)) - set(but):
                self.added += 1
                made = Definition(name, node, read, place, self.added)
                self.found[place.file, name] = made
                if name not in self.first or self.first[name].place.file == place.file:
                    self.first[name] = made

    def get(self, name: str, notebook: str) -> Definition | None:
        """What this name means in a notebook; or in the first other one that defines it."""
        return self.found.get((notebook, name)) or self.first.get(name)


@dataclass(frozen=True)
class Taken:
    """The definitions that some functions need, in the order of their cells; and what was not taken, and why."""

    imports: tuple[Definition, ...] = ()
    above: tuple[Definition, ...] = ()  # needed at once
    below: tuple[Definition, ...] = ()
    said: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[Definition, ...]:
        return (*self.imports, *self.above, *self.below)


def taken(wanted: Sequence[tuple[str, Needs]], pool: Pool, engine: frozenset[str]) -> Taken:
    """What functions with these needs (by notebook) take from the pool, if the engine defines these names."""
    asked = _reached(wanted, pool, lambda definition: True)
    refused = _refused([definition for definition, _ in asked], pool, engine)
    chosen: dict[Definition, bool] = {}  # whether it is needed at once
    said = set()
    for definition, now in _reached(wanted, pool, lambda definition: definition not in refused):
        if definition not in refused:
            chosen[definition] = chosen.get(definition, False) or now
        elif why := refused[definition]:
            said.add(f"`{shown(definition.name, 40)}` in {definition.place} was not taken: {why}.")
    made = sorted(chosen, key=lambda definition: definition.order)
    return Taken(
        tuple(definition for definition in made if definition.is_import),
        tuple(definition for definition in made if not definition.is_import and chosen[definition]),
        tuple(definition for definition in made if not definition.is_import and not chosen[definition]),
        tuple(sorted(said)),
    )


def _reached(
    wanted: Iterable[tuple[str, Needs]], pool: Pool, through: Callable[[Definition], bool]
) -> Iterator[tuple[Definition, bool]]:
    """Each definition that is needed, directly or `through` others; True with it if it is needed at once."""
    waiting = [(name, notebook, name in its.at_once) for notebook, its in wanted for name in sorted(its.all)]
    seen = set()
    while waiting:
        name, notebook, now = waiting.pop()
        definition = pool.get(name, notebook)
        if definition is None or (definition, now) in seen:
            continue
        seen.add((definition, now))
        yield definition, now
        if through(definition) and not definition.error:
            its = definition.needs
            waiting += [(inner, definition.place.file, now and inner in its.at_once) for inner in sorted(its.all)]


def _refused(definitions: Iterable[Definition], pool: Pool, engine: frozenset[str]) -> dict[Definition, str]:
    """Which of these cannot stand in an engine that defines these names, and why; "" if that is not worth a word."""
    refused: dict[Definition, str] = {}
    undecided: dict[Definition, str] = {}  # with a name that it needs at once
    for definition in definitions:
        if (why := _why_not(definition, engine)) is None:
            undecided[definition] = ""
        else:
            refused[definition] = why
    accepted: set[Definition] = set()
    while True:
        for definition in undecided:
            undecided[definition] = _lacking(definition, accepted, pool, engine)
        found = {definition for definition, lacking in undecided.items() if not lacking}
        if not found:
            break
        accepted |= found
        undecided = {definition: lacking for definition, lacking in undecided.items() if lacking}
    needed = {d: f"it needs `{shown(name, 40)}` at once, which no engine has" for d, name in undecided.items()}
    return refused | needed


def _why_not(definition: Definition, engine: frozenset[str]) -> str | None:
    """Why it cannot stand in an engine, whatever else does; None if it can."""
    node = definition.node
    if definition.name in engine and _is_lab(node):
        return ""
    if ({definition.name} if definition.is_import else set(_names(node))) & engine:
        return "the engine has its own"
    if definition.is_import:
        foreign = any(module not in sys.stdlib_module_names for module in _modules(node))
        return "an engine imports nothing but Python's own modules" if foreign else None
    return f"it {definition.error}" if definition.error else None


def _lacking(definition: Definition, accepted: set[Definition], pool: Pool, engine: frozenset[str]) -> str:
    """A name that it needs at once, and that is not there then; "" if there is none."""
    if definition.is_import:
        return ""
    for name in sorted(definition.needs.at_once - engine):
        other = pool.get(name, definition.place.file)
        if other not in accepted if other else name not in BUILTINS:
            return name
    return ""


def _is_lab(node: ast.stmt) -> bool:
    """Whether it comes from the lab itself: `from lab.engine import Command`, `Command = engine().Command`."""
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
