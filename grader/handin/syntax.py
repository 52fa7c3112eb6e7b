"""Reading Python that a stranger wrote. It is parsed and compiled, never run, and only if it cannot hurt the parser."""

from __future__ import annotations
import __future__

import ast
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType

from grader.handin import limits
from grader.handin.files import shown
from grader.handin.model import Refused
from grader.handin.newer import needed

# A literal without an end goes to the end of its line, or of the text: so each character is looked at once.
_TOKEN = re.compile(
    r"""(?P<text>(?P<prefix>[a-zA-Z]{0,2})
            (?:\"{3}[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*(?:\"{3})? | '{3}[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*(?:'{3})?
             | "[^"\\\n]*(?:\\.[^"\\\n]*)*"? | '[^'\\\n]*(?:\\.[^'\\\n]*)*'?))
      | (?P<skip>\#[^\n]* | \\\n | [ \t\f]+)
      | (?P<end>[\n;]) | (?P<comma>,) | (?P<open>[(\[{]) | (?P<close>[)\]}]) | (?P<other>\w+ | .)""",
    re.VERBOSE | re.DOTALL,
)
_WORD = re.compile(r"\w+|[^\w\s]")
_STATEMENTS = frozenset(["class", "def", "del", "import", "pass", "raise", "return", "try", "while", "with"])
_CONFLICT = re.compile(r"^(<{7}|>{7})( |$)", re.MULTILINE)
_MAGIC = re.compile(r"^(?P<indent>[ \t]*)(?:(?!%%)[%!?].*|[\w.*]+\?{1,2}[ \t]*)$")
_ASSIGNED = re.compile(r"^(?P<indent>[ \t]*)(?P<name>\w+)[ \t]*=[ \t]*[%!].*$")
_TIMED = re.compile(r"^%%(time|timeit|capture|prun|python|python3)\b.*$")
_FLAGS = __future__.annotations.compiler_flag  # as in the engine
_ODD = {0xA0: " ", 0x2007: " ", 0x202F: " ", 0x3000: " ", 0x200B: "", 0x200C: "", 0x200D: "", 0x2060: "", 0xFEFF: ""}


class Unreadable(Refused):
    """It is not Python. `line` is counted from 1 in the text that was given; 0 where no line can be named.

    `newer`: the version of Python that reads it, if it is one that this Python is too old for.
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


def readable(text: str, most: int = limits.CELL, cell: bool = True) -> Source:
    """The text parsed; where it does not parse, what editors and notebooks do to it is undone. Raises Unreadable.

    `cell`: it stands in a notebook, where lines such as `%time` and `!ls` mean something.
    """
    try:
        return Source(text, parse(text, most))
    except Unreadable as error:
        first = error
    if marks := _CONFLICT.search(text):
        line = text.count("\n", 0, marks.start()) + 1
        raise Unreadable("holds the marks of a merge conflict, so it is not clear which text is meant", line)
    if len(text) > most or "\0" in text:
        raise first
    for fixed, notes in _fixed(text, cell):
        try:
            tree = parse(fixed, most)
            compiled(tree.body)  # a tab of the wrong width may give what parses, and means something else
            return Source(fixed, tree, tuple(notes))
        except Unreadable:
            continue
    if first.line and (version := _newer(text, cell, most)):
        here = f"{sys.version_info[0]}.{sys.version_info[1]}"
        raise Unreadable(f"uses syntax of Python {version}, and the grader runs Python {here}", first.line, version)
    raise first


def _newer(text: str, cell: bool, most: int) -> str:
    def fits(text: str) -> bool:
        try:
            parse(text, most)
        except Unreadable:
            return False
        return True

    return needed([text, *(fixed for fixed, _ in _fixed(text, cell))][-1], fits)


def _fixed(text: str, cell: bool) -> Iterator[tuple[str, list[str]]]:
    """The text with one thing after the other put right; only what changes something is tried."""
    notes: list[str] = []
    fixes: list[tuple[Callable[[str], str], str]] = [(_usual_letters, "odd spaces or half letters were replaced")]
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


def _usual_letters(text: str) -> str:
    return text.translate(_ODD).encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _to_the_left(text: str) -> str:
    """As IPython does it: what the first line begins with goes from all lines."""
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


def parse(text: str, most: int) -> ast.Module:
    """`ast.parse` that cannot be made to take long or to fall over. Raises Unreadable."""
    if len(text) > most:
        raise Unreadable(f"has more than {most:,} characters")
    if "\0" in text:
        raise Unreadable("holds a null character", text.count("\n", 0, text.index("\0")) + 1)
    _check_depth(text)
    with _Quiet():
        return ast.parse(text)


def _check_depth(text: str) -> None:
    """Refuse what nests so deep that no person wrote it: words and signs since the last comma, over all brackets."""
    counts, total, lambdas, branches = [0], 0, 0, 0
    for token in _TOKEN.finditer(text):
        group, word = token.lastgroup, token[0]
        if group in ("other", "open"):
            if len(counts) > 1 and word in _STATEMENTS:
                return  # within brackets, so the parser gets no further than this
            counts[-1] += 1
            total += 1
            lambdas += word == "lambda"  # a comma among its parameters ends no expression
            branches += word == "elif"
            if group == "open":
                counts.append(0)
        elif group == "close" and len(counts) > 1:
            total -= counts.pop()
        elif group == "comma" or (group == "end" and len(counts) == 1):
            total, counts[-1] = total - counts[-1], 0
            lambdas = lambdas if group == "comma" else 0
        within = _in_braces(word) if group == "text" and "f" in token["prefix"].casefold() else 0
        if total > limits.CHAIN or within > limits.CHAIN or len(counts) > limits.NESTING:
            break
        if lambdas > limits.LAMBDAS or branches > limits.BRANCHES:
            break
    else:
        return
    raise Unreadable("is nested too deep to be read", text.count("\n", 0, token.start()) + 1)


def _in_braces(literal: str) -> int:
    """The words and signs in the braces of an f-string, roughly."""
    return len(_WORD.findall(literal.partition("{")[2].rpartition("}")[0]))


class _Quiet:
    """Within it, warnings of the compiler are nothing, and all that it may raise is Unreadable."""

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
            raise Unreadable("holds half a letter, which cannot be stored") from None
        if isinstance(error, ValueError):
            raise Unreadable("is not Python") from None


def compiled(nodes: list[ast.stmt]) -> CodeType:
    """The code of these statements, for looking at. What Python says only when it compiles is Unreadable, too."""
    with _Quiet():
        code: CodeType = compile(ast.Module(nodes, []), "<submission>", "exec", flags=_FLAGS, dont_inherit=True)
        return code


def indented(text: str, node_lines: frozenset[int], by: str) -> str:
    """The text moved to the right, but for the lines (from 0) that go on with a text literal."""
    lines = text.split("\n")
    return "\n".join(by + line if line.strip() and i not in node_lines else line for i, line in enumerate(lines))


def literal_lines(node: ast.AST, first: int) -> frozenset[int]:
    """The lines of a text literal but its first, counted from line `first`: a move would change the text."""
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
