"""Functions inside a source text: find one by its name, put another in its place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(source: str) -> dict[str, Function]:
    """Every function of a module and of its classes, by qualified name: `Context.now`. Raises SyntaxError."""
    return dict(_walk(ast.parse(source).body, ""))


def _walk(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, Function]]:
    for node in body:
        if isinstance(node, Function):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _walk(node.body, f"{prefix}{node.name}.")


def span(node: Function) -> slice:
    """The lines of a function, its decorators with it, as a slice of the list of lines."""
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    return slice(first - 1, node.end_lineno)


def text_of(source: str, name: str) -> str:
    """The lines of the function `name`. Raises KeyError where there is none."""
    return "\n".join(source.split("\n")[span(functions(source)[name])])


def replace_function(source: str, name: str, text: str) -> str:
    """`source` with `text` (indented as in its class) in the place of the function `name`. Raises KeyError."""
    lines = source.split("\n")
    lines[span(functions(source)[name])] = text.rstrip("\n").split("\n")
    return "\n".join(lines)


def add_to_class(source: str, name: str, text: str) -> str:
    """`source` with `text` (indented as in its class) as the last lines of the class `name`. Raises KeyError."""
    classes = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)}
    end = classes[name].end_lineno
    lines = source.split("\n")
    lines[end:end] = ["", *text.rstrip("\n").split("\n")]
    return "\n".join(lines)
