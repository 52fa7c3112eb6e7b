"""Reads Python that a stranger wrote: parsed and compiled, never run. What Python cannot read is Unreadable."""

from __future__ import annotations
import __future__

import ast
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType

from grader.handin.inside.document import Refused
from grader.handin.inside.names import shown
from grader.handin.inside.newer import needed

MOST = 300_000  # characters of Python that are read at once, and of an engine
_CONFLICT = re.compile(r"^(<{7}|>{7})( |$)", re.MULTILINE)
_MAGIC = re.compile(r"^(?P<indent>[ \t]*)(?:(?!%%)[%!?].*|[\w.*]+\?{1,2}[ \t]*)$")
_ASSIGNED = re.compile(r"^(?P<indent>[ \t]*)(?P<name>\w+)[ \t]*=[ \t]*[%!].*$")
_TIMED = re.compile(r"^%%(time|timeit|capture|prun|python|python3)\b.*$")
_FLAGS = __future__.annotations.compiler_flag  # as in the engine
_ODD = {0xA0: " ", 0x2007: " ", 0x202F: " ", 0x3000: " ", 0x200B: "", 0x200C: "", 0x200D: "", 0x2060: "", 0xFEFF: ""}


class Unreadable(Refused):
    """It is not Python. `line` is counted from 1 in the given text; 0 if no line can be named.

    newer  the version of Python that reads it, if this one is too old
    """

    def __init__(self, why: str, line: int = 0, newer: str = "") -> None:
        super().__init__(f"{why} (line {line})" if line else why)
        self.why, self.line, self.newer = why, line, newer


@dataclass(frozen=True)
class Source:
    """Python that can be read. `text` is what was parsed, `notes` is what was put right to get there."""

    text: str
    tree: ast.Module
    notes: tuple[str, ...] = ()

    @property
    def lines(self) -> list[str]:
        return self.text.split("\n")


def readable(text: str, cell: bool = True) -> Source:
    """The text parsed; if it does not parse, what editors and notebooks do to it is undone. Raises Unreadable.

    cell  it stands in a notebook, where lines such as `%time` and `!ls` mean something
    """
    try:
        return Source(text, parse(text))
    except Unreadable as error:
        first = error
    if marks := _CONFLICT.search(text):
        line = text.count("\n", 0, marks.start()) + 1
        raise Unreadable("holds the marks of a merge conflict, so it is not clear which text is meant", line)
    if "\0" in text or len(text) > MOST:
        raise first
    fixed, notes = text, list[str]()
    for fixed, notes in _fixed(text, cell):
        try:
            tree = parse(fixed)
            compiled(tree.body)  # a tab of the wrong width may give what parses, and means something else
            return Source(fixed, tree, tuple(notes))
        except Unreadable:
            continue
    if first.line and (version := needed(fixed, _fits)):
        here = f"{sys.version_info[0]}.{sys.version_info[1]}"
        raise Unreadable(f"uses syntax of Python {version}, and the grader runs Python {here}", first.line, version)
    raise first


def _fits(text: str) -> bool:
    try:
        parse(text)
    except Unreadable:
        return False
    return True


def _fixed(text: str, cell: bool) -> Iterator[tuple[str, list[str]]]:
    """The text with one thing after the other put right. A step that changes nothing is passed over."""
    notes: list[str] = []
    fixes: list[tuple[Callable[[str], str], str]] = [
        (_usual_characters, "unusual spaces or lone surrogates were replaced")
    ]
    if cell:
        fixes.append((_to_the_left, "it was moved to the left"))
        fixes.append((_without_magics, "lines for IPython (such as `%time` or `!ls`) were left out"))
    for fix, note in fixes:
        if (fixed := fix(text)) != text:
            text, notes = fixed, [*notes, note]
            yield text, notes
    for width in (4, 8):
        if (fixed := _without_tabs(text, width)) != text:
            yield fixed, [*notes, "tabs were replaced by spaces"]


def _usual_characters(text: str) -> str:
    return text.translate(_ODD).encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _to_the_left(text: str) -> str:
    """Remove the indentation of the first line from all lines, as IPython does."""
    first = next((line for line in text.split("\n") if line.strip()), "")
    indent = first[: len(first) - len(first.lstrip())]
    return "\n".join(line.removeprefix(indent) for line in text.split("\n"))


def _without_magics(text: str) -> str:
    lines = text.split("\n")
    start = next((i for i, line in enumerate(lines) if line.strip()), 0)
    if _TIMED.match(lines[start]):
        lines[start] = ""
    for i, line in enumerate(lines):
        if match := _MAGIC.match(line):
            lines[i] = f"{match['indent']}pass"
        elif match := _ASSIGNED.match(line):
            lines[i] = f"{match['indent']}{match['name']} = None"
    return "\n".join(lines)


def _without_tabs(text: str, width: int) -> str:
    return re.sub(r"^[ \t]*\t[ \t]*", lambda match: match[0].expandtabs(width), text, flags=re.MULTILINE)


def parse(text: str) -> ast.Module:
    """`ast.parse`; whatever it raises is Unreadable."""
    if len(text) > MOST:
        raise Unreadable(f"has more than {MOST:,} characters")
    if "\0" in text:
        raise Unreadable("holds a null character", text.count("\n", 0, text.index("\0")) + 1)
    with _Quiet():
        return ast.parse(text)


class _Quiet:
    """Ignores the compiler's warnings, and turns all that it may raise into Unreadable."""

    def __enter__(self) -> None:
        self._warnings = warnings.catch_warnings()
        self._warnings.__enter__()
        warnings.simplefilter("ignore")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self._warnings.__exit__(None, None, None)
        if isinstance(error, SyntaxError):
            why = shown(str(error.msg), 80).rstrip(".")
            raise Unreadable(f"is not Python: {why}", error.lineno or 0) from None
        if isinstance(error, (RecursionError, MemoryError, OverflowError)):
            raise Unreadable("is nested too deep to be read") from None
        if isinstance(error, UnicodeError):
            raise Unreadable("holds a lone surrogate, which cannot be stored") from None
        if isinstance(error, ValueError):
            raise Unreadable("is not Python") from None


def compiled(nodes: list[ast.stmt]) -> CodeType:
    """The code of these statements, never run. Errors that Python finds only when it compiles are Unreadable, too."""
    with _Quiet():
        code: CodeType = compile(ast.Module(nodes, []), "<submission>", "exec", flags=_FLAGS, dont_inherit=True)
        return code


def indented(text: str, node_lines: frozenset[int], by: str) -> str:
    """The text moved to the right, except the lines (from 0) that continue a string literal."""
    lines = text.split("\n")
    return "\n".join(by + line if line.strip() and i not in node_lines else line for i, line in enumerate(lines))


def literal_lines(node: ast.AST, first: int) -> frozenset[int]:
    """The lines that continue a string literal, counted from line `first`: a move would change the string."""
    found: set[int] = set()
    for part in ast.walk(node):
        if isinstance(part, (ast.Constant, ast.JoinedStr)) and part.end_lineno and part.end_lineno > part.lineno:
            found.update(range(part.lineno + 1 - first, part.end_lineno + 1 - first))
    return frozenset(found)


def moved_left(lines: list[str], node: ast.stmt, first: int) -> str:
    """The lines of a statement (the first of them is line `first`), so that it begins at the left margin."""
    if not (column := node.col_offset):
        return "\n".join(lines)
    kept = literal_lines(node, first)
    made = [line if i in kept else line[_margin(line, column) :] for i, line in enumerate(lines)]
    return "\n".join(made)


def _margin(line: str, column: int) -> int:
    return min(column, len(line) - len(line.lstrip()))
