"""Find a function in a source text by its name, and replace it."""

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
    """The lines of a function with its decorators, as a slice of the list of lines."""
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    return slice(first - 1, node.end_lineno)


def text_of(source: str, name: str) -> str:
    """The lines of the function `name`. Raises KeyError if it does not exist."""
    return "\n".join(source.split("\n")[span(functions(source)[name])])


def replace_function(source: str, name: str, text: str) -> str:
    """`source` with `text` in place of the function `name`, indented as that was. Raises KeyError."""
    lines = source.split("\n")
    where = span(functions(source)[name])
    lines[where] = indented(text.rstrip("\n"), margin_of(lines[where.start])).split("\n")
    return "\n".join(lines)


def margin_of(line: str) -> str:
    """The spaces and tabs that a line begins with."""
    return line[: len(line) - len(line.lstrip())]


def indented(text: str, margin: str) -> str:
    """A function, indented by `margin`. Lines inside a string literal stay as they are."""
    lines = text.split("\n")
    old = margin_of(lines[0])
    if old == margin:
        return text
    kept = _inside_literals(text, bool(old))
    moved = [margin + (line.removeprefix(old) if line.startswith(old) else line.lstrip()) for line in lines]
    return "\n".join(
        line if i in kept or not line.strip() else new for i, (line, new) in enumerate(zip(lines, moved, strict=True))
    )


def _inside_literals(text: str, is_indented: bool) -> set[int]:
    """The lines, from 0, that continue a string literal."""
    try:
        tree = ast.parse(f"if 1:\n{text}" if is_indented else text)
    except SyntaxError:
        return set()
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and node.end_lineno and node.end_lineno > node.lineno:
            found.update(range(node.lineno - is_indented, node.end_lineno - is_indented))
    return found


def add_to_class(source: str, name: str, text: str) -> str:
    """`source` with `text` appended to the class `name`, indented as its body. Raises KeyError."""
    classes = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)}
    end = classes[name].end_lineno
    lines = source.split("\n")
    margin = margin_of(lines[classes[name].body[0].lineno - 1])
    lines[end:end] = ["", *indented(text.rstrip("\n"), margin).split("\n")]
    return "\n".join(lines)


def put_function(source: str, name: str, text: str) -> str:
    """As `replace_function`, but a missing function is added to its class. Raises KeyError with the class's name."""
    if name in functions(source):
        return replace_function(source, name, text)
    return add_to_class(source, name.partition(".")[0], text)
