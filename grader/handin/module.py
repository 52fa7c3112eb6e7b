"""An engine's source as something to put functions into, without reading it anew each time."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from durable_lab import source
from durable_lab.checks.substitute import REFERENCE
from durable_lab.stubs import BEGIN, END
from durable_lab.todos import SKELETON
from grader.handin.methods import Method
from grader.handin.release import PARTS
from grader.handin.syntax import moved_left

BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__", "__builtins__", "__qualname__", "__module__"}


@dataclass(frozen=True)
class Module:
    """A source and where in it things stand. Lines are counted from 0."""

    lines: tuple[str, ...]
    spans: Mapping[str, slice]  # of every function, by qualified name
    classes: Mapping[str, slice]
    names: frozenset[str]  # what it defines: what a function in it may refer to
    margins: Mapping[str, str]  # of its classes: how far to the right their functions stand
    attributes: frozenset[str]  # what its classes and their objects have
    imports_end: int  # the line after the last import

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def has_place_for(self, parts: Iterable[str]) -> bool:
        """Are the classes of these functions there?"""
        return all(part.partition(".")[0] in self.classes for part in parts)

    def without(self, functions: Iterable[str]) -> str:
        """The source but for these functions."""
        inside = {
            i for name in functions if name in self.spans for i in range(*self.spans[name].indices(len(self.lines)))
        }
        return "\n".join(line for i, line in enumerate(self.lines) if i not in inside)

    def with_functions(
        self,
        functions: Mapping[str, Method],
        imports: Sequence[str] = (),
        above: Sequence[str] = (),
        below: Sequence[str] = (),
    ) -> str:
        """The source with these functions in the places of its own, and more around.

        imports, above, below: texts that go after its imports, above the first class of a function, and at the end
        """
        edits: list[tuple[int, int, list[str]]] = []
        for name, method in functions.items():
            owner = name.partition(".")[0]
            lines = method.block(self.margins[owner])
            if (span := self.spans.get(name)) is not None:
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
    """What stands where in a source that was parsed."""
    functions, lines = functions_of(tree), text.split("\n")
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    imports = [node.end_lineno or 0 for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    docstring = tree.body[0].end_lineno or 0 if tree.body and ast.get_docstring(tree) is not None else 0
    return Module(
        tuple(lines),
        {name: _span(node) for name, node in functions.items()},
        {name: _span(node) for name, node in classes.items()},
        frozenset(_defined(tree.body)),
        {name: _margin(lines, node) for name, node in classes.items()},
        frozenset(_attributes(tree)) | {name.rpartition(".")[2] for name in functions},
        max(imports, default=docstring),
    )


@cache
def skeleton() -> Module:
    """The engine as it was handed out."""
    text = (SKELETON / "engine.py").read_text(encoding="utf-8")
    return module(text, ast.parse(text))


@cache
def reference() -> Module:
    """The engine with all answers, without the marks around them."""
    lines = REFERENCE.read_text(encoding="utf-8").split("\n")
    text = "\n".join(line for line in lines if line.strip() not in (BEGIN, END))
    return module(text, ast.parse(text))


@cache
def lent() -> dict[str, Method]:
    """The reference's functions for the TODOs."""
    lines = list(reference().lines)
    found = functions_of(ast.parse(reference().text))
    return {
        part: Method(part, "", moved_left(lines[_span(found[part])], found[part], found[part].lineno), found[part])
        for part in PARTS
    }


def functions_of(tree: ast.Module) -> dict[str, source.Function]:
    """Every function of a module and of its classes, by qualified name."""
    found: dict[str, source.Function] = {}
    for node in tree.body:
        if isinstance(node, source.Function):
            found[node.name] = node
        elif isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{inner.name}": inner for inner in node.body if isinstance(inner, source.Function)}
    return found


def _span(node: source.Function | ast.ClassDef) -> slice:
    first = min([node.lineno, *(mark.lineno for mark in node.decorator_list)])
    return slice(first - 1, node.end_lineno)


def _margin(lines: list[str], node: ast.ClassDef) -> str:
    """What stands before the functions of a class."""
    line = lines[node.body[0].lineno - 1]
    return line[: len(line) - len(line.lstrip())] if node.body[0].lineno > node.lineno else "    "


def _defined(body: list[ast.stmt]) -> Iterator[str]:
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
        elif not isinstance(node, ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))


def _attributes(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.ClassDef):
            for line in node.body:
                yield from _defined([line] if isinstance(line, (ast.Assign, ast.AnnAssign)) else [])
