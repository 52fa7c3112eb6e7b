"""Make the full source of an engine from a bank entry: the reference, with the entry's definitions in it.

An entry is a small Python file. Its classes are named like the engine's; a function in one of them replaces the
engine's function of the same qualified name, or is added to that class:

    BELIEF = "M9"                       what its author believes (diagnosis/beliefs.toml); wrong engines only
    TODO = 3                            where the mistake is made
    RULES = ("R8",)                     the rules that it breaks

    class Context:
        def wait_signal(self, name): ...            replaces the engine's Context.wait_signal

Functions, classes and constants that the engine does not have are appended to it; imports follow its own imports. An
entry that sets `WHOLE = True` is a whole engine and is used unchanged.
"""

from __future__ import annotations

import ast

from durable_lab import source
from durable_lab.study import ROOT

REFERENCE = ROOT / "solution" / "engine.py"
_DECLARATIONS = ("BELIEF", "TODO", "RULES", "WHOLE")


class SpliceError(Exception):
    """The entry cannot be put into the reference. The message says why, with the file or the line."""


def splice(entry: str, reference: str, name: str = "entry") -> str:
    """Return the source of `reference` with the definitions of `entry`. `name` stands in the message of an error."""
    made, lines = reference, entry.splitlines()
    classes = {node.name for node in ast.parse(reference).body if isinstance(node, ast.ClassDef)}
    imports: list[str] = []
    for node in ast.parse(entry).body:
        text = "\n".join(lines[_first_line(node) - 1 : node.end_lineno])
        if declared(node) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            imports += [] if getattr(node, "module", "") == "__future__" else [text]
        elif isinstance(node, ast.ClassDef) and node.name in classes:
            for part in node.body:
                if isinstance(part, source.Function):
                    made = _put(made, f"{node.name}.{part.name}", "\n".join(lines[source.span(part)]))
                elif not isinstance(part, (ast.Expr, ast.Pass)):
                    raise SpliceError(f"{name}, line {part.lineno}: only functions can be put into {node.name}")
        elif isinstance(node, source.Function):
            made = _put(made, node.name, text)
        else:
            made += f"\n\n{text}\n"
    return _with_imports(made, imports)


def declared(node: ast.stmt) -> str | None:
    """Return the name of what an entry declares about itself in this statement: `TODO = 3` -> "TODO"."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)]) if name in _DECLARATIONS:
            return name
    return None


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(d.lineno for d in decorators)])


def _put(text: str, name: str, function: str) -> str:
    owner, _, _ = name.rpartition(".")
    if name in source.functions(text):
        return source.replace_function(text, name, function)
    return source.add_to_class(text, owner, function) if owner else f"{text}\n\n{function}\n"


def _with_imports(text: str, imports: list[str]) -> str:
    last = max(node.end_lineno or 0 for node in ast.parse(text).body if isinstance(node, (ast.Import, ast.ImportFrom)))
    lines = text.splitlines()
    lines[last:last] = imports
    return "\n".join(lines) + "\n"
