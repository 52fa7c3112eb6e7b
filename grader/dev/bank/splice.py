"""Make the full source of an engine from a bank entry: what the entry says, and the reference for all the rest.

An entry is a small Python file. Its classes are named like the engine's; a function in one of them takes the place of
the engine's function of the same qualified name, or is added to that class:

    BELIEF = "M9"                       what its author believes (durable_lab/diagnosis/beliefs.py); wrong engines only
    TODO = 3                            where the mistake is made
    RULES = ("R8",)                     the rules that it breaks

    class Context:
        def wait_signal(self, name): ...            instead of the engine's Context.wait_signal

Functions, classes and constants that the engine does not have are added below it, imports above it. An entry that sets
`WHOLE = True` is a whole engine, and is used as it is.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from durable_lab import source
from durable_lab.study import ROOT

BANK = Path(__file__).parent
REFERENCE = ROOT / "solution" / "engine.py"
_ABOUT = ("BELIEF", "TODO", "RULES", "WHOLE")


class SpliceError(Exception):
    """The entry cannot be put into the reference. The message says what is wrong and where."""


@dataclass(frozen=True)
class Entry:
    """An engine of the bank. `todo` 0, `belief` "" and no `rules` where it is a right one."""

    path: Path
    text: str
    about: str  # the docstring: of a wrong engine, the belief in plain words comes first
    belief: str = ""
    todo: int = 0
    rules: tuple[str, ...] = ()
    whole: bool = False

    @property
    def name(self) -> str:
        return f"{self.path.parent.name}/{self.path.stem}"

    def source(self) -> str:
        """The full source of this engine."""
        return self.text if self.whole else splice(self.text, REFERENCE.read_text(encoding="utf-8"), self.name)


def entries(kind: str) -> list[Entry]:
    """The engines of the bank, by name: kind is "wrong" or "right"."""
    return [load(path) for path in sorted((BANK / kind).glob("*.py"))]


def load(path: Path) -> Entry:
    """One entry. Raises SyntaxError, SpliceError (what it says of itself cannot be read)."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    said: dict[str, Any] = {}
    for node in tree.body:
        if name := _told(node):
            try:
                said[name.lower()] = ast.literal_eval(node.value)  # type: ignore[attr-defined]
            except ValueError:
                raise SpliceError(f"{path.name}: {name} must be a plain value") from None
    return Entry(path, text, ast.get_docstring(tree) or "", **said)


def splice(entry: str, reference: str, name: str = "entry") -> str:
    """The reference's source with everything that the entry's source has in its place."""
    made, lines = reference, entry.splitlines()
    classes = {node.name for node in ast.parse(reference).body if isinstance(node, ast.ClassDef)}
    imports: list[str] = []
    for node in ast.parse(entry).body:
        text = "\n".join(lines[_first(node) - 1 : node.end_lineno])
        if _told(node) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
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


def _told(node: ast.stmt) -> str | None:
    """The name of what an entry says about itself: `TODO = 3` -> "TODO"."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)]) if name in _ABOUT:
            return name
    return None


def _first(node: ast.stmt) -> int:
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
