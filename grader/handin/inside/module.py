"""An engine's source that functions can be put into, without parsing it again each time."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

from grader.handin.inside.lab import Lab

if TYPE_CHECKING:
    from grader.handin.inside.methods import Method

Function = ast.FunctionDef | ast.AsyncFunctionDef
BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__", "__builtins__", "__qualname__", "__module__"}
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True)
class Module:
    """A source, and where things stand in it. Lines are counted from 0."""

    lines: tuple[str, ...]
    functions: Mapping[str, Function]  # every function, by qualified name
    classes: Mapping[str, slice]
    margins: Mapping[str, str]  # by class: the indentation of its functions
    imports_end: int  # the line after the last import
    tree: ast.Module

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @cached_property
    def names(self) -> frozenset[str]:
        """What it defines: what a function in it may refer to."""
        return frozenset(defined(self.tree.body))

    @cached_property
    def attributes(self) -> frozenset[str]:
        """What its classes and their objects have."""
        return frozenset(_attributes(self.tree)) | {name.rpartition(".")[2] for name in self.functions}

    @property
    def spans(self) -> dict[str, slice]:
        """The lines of every function, by qualified name."""
        return {name: _span(node) for name, node in self.functions.items()}

    def has_place_for(self, parts: Iterable[str]) -> bool:
        """Whether the classes of these functions are there."""
        return all(part.partition(".")[0] in self.classes for part in parts)

    def with_functions(
        self,
        functions: Mapping[str, Method],
        imports: Sequence[str] = (),
        above: Sequence[str] = (),
        below: Sequence[str] = (),
    ) -> str:
        """The source with these functions in the places of its own.

        imports, above, below: statements that go after its imports, above the first class of a function, and at the end
        """
        edits: list[tuple[int, int, list[str]]] = []
        for name, method in functions.items():
            owner = name.partition(".")[0]
            lines = method.block(self.margins[owner])
            if name in self.functions:
                span = _span(self.functions[name])
                edits.append((span.start, span.stop, lines))
            else:
                end = self.classes[owner].stop
                edits.append((end, end, ["", *lines]))
        owners = [self.classes[name.partition(".")[0]].start for name in functions]
        first = max(self.imports_end, min(owners, default=len(self.lines)))
        for place, texts in ((self.imports_end, imports), (first, above), (len(self.lines), below)):
            edits.append((place, place, [line for text in texts for line in (*text.split("\n"), "")]))
        made = list(self.lines)
        for start, stop, lines in sorted(edits, key=lambda edit: edit[:2], reverse=True):
            made[start:stop] = lines
        return "\n".join(made)


def module(text: str, tree: ast.Module) -> Module:
    """The module of a source that was parsed."""
    functions, lines = _functions(tree), text.split("\n")
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    imports = [node.end_lineno or 0 for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    docstring = tree.body[0].end_lineno or 0 if tree.body and ast.get_docstring(tree) is not None else 0
    return Module(
        tuple(lines),
        functions,
        {name: _span(node) for name, node in classes.items()},
        {name: _margin(lines, node) for name, node in classes.items()},
        max(imports, default=docstring),
        tree,
    )


@cache
def skeleton(lab: Lab) -> Module:
    """The engine as it was handed out."""
    return module(lab.skeleton, ast.parse(lab.skeleton))


@cache
def reference(lab: Lab) -> Module:
    """The engine with all answers."""
    return module(lab.reference, ast.parse(lab.reference))


def _functions(tree: ast.Module) -> dict[str, Function]:
    """Every function of a module and of its classes, by qualified name."""
    found: dict[str, Function] = {}
    for node in tree.body:
        if isinstance(node, Function):
            found[node.name] = node
        elif isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{inner.name}": inner for inner in node.body if isinstance(inner, Function)}
    return found


def _span(node: Function | ast.ClassDef) -> slice:
    first = min([node.lineno, *(mark.lineno for mark in node.decorator_list)])
    return slice(first - 1, node.end_lineno)


def _margin(lines: list[str], node: ast.ClassDef) -> str:
    """The indentation of the functions of a class."""
    line = lines[node.body[0].lineno - 1]
    return line[: len(line) - len(line.lstrip())] if node.body[0].lineno > node.lineno else "    "


def defined(body: list[ast.stmt]) -> Iterator[str]:
    """The names that these statements define for a module, also within `if`, `try`, `for` and `with`."""
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif not isinstance(node, (ast.Lambda, *_COMPREHENSIONS)):
            waiting.extend(ast.iter_child_nodes(node))


def _attributes(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.ClassDef):
            for line in node.body:
                yield from defined([line] if isinstance(line, (ast.Assign, ast.AnnAssign)) else [])
