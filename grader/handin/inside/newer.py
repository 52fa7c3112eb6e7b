"""Tells syntax of a newer Python from what is not Python at all, so that it costs no points.

There is no newer parser here. So newer syntax is rewritten as older syntax, and parsed then:

    3.12    f"{"now"}"  ->  ""       type X = int  ->  X = int       def f[T](x): ...  ->  def f(x): ...
    3.13    def f[T = int](x): ...  ->  def f(x): ...
    3.14    t"{now}"  ->  ""         except A, B:  ->  except (A, B):
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

Fits = Callable[[str], bool]  # whether this Python parses a text
_START = re.compile(r"(?<!\w)(?P<prefix>[A-Za-z]{0,2})(?P<quote>\"{3}|'{3}|\"|')|#[^\n]*")
_TYPE = re.compile(r"^([ \t]*)type[ \t]+(\w+)[ \t]*(?=[=\[])", re.MULTILINE)
_PARAMETERS = re.compile(r"\b(?:def|class)[ \t]+\w+[ \t]*(?=\[)")
_LISTED = re.compile(r"\[\s*\*{0,2}[^\W\d]\w*\s*(?:[:=,].*)?\]", re.DOTALL)
_EXCEPT = re.compile(r"^([ \t]*except\*?[ \t]+)([\w.]+(?:[ \t]*,[ \t]*[\w.]+)+)[ \t]*:", re.MULTILINE)
_DEEP = 5  # f-strings within f-strings; the time grows exponentially


def needed(text: str, fits: Fits) -> str:
    """The first version of Python ("3.12") that parses this text, if it is newer than this one; else ""."""
    for version, rewrite in ((12, _of_12), (13, _of_13), (14, _of_14)):
        if (3, version) <= sys.version_info[:2]:
            continue
        try:
            text = rewrite(text, fits)
        except (ValueError, IndexError, RecursionError):  # it is not Python, or nested deeper than any Python reads
            return ""
        if fits(text):
            return f"3.{version}"
    return ""


def _of_12(text: str, fits: Fits) -> str:
    text = _TYPE.sub(r"\1\2 ", _without_literals(text, fits, "f"))
    return _without_parameters(text, lambda brackets: "=" not in brackets)


def _of_13(text: str, fits: Fits) -> str:
    return _without_parameters(text, lambda brackets: True)


def _of_14(text: str, fits: Fits) -> str:
    return _EXCEPT.sub(r"\1(\2):", _without_literals(text, fits, "t"))


def _without_parameters(text: str, wanted: Callable[[str], bool]) -> str:
    made, at = [], 0
    for found in _PARAMETERS.finditer(text):
        if found.start() < at:
            continue
        end = _closed(text, found.end())
        if _LISTED.fullmatch(text[found.end() : end]) and wanted(text[found.end() : end]):
            made.append(text[at : found.end()])
            at = end
    return "".join([*made, text[at:]])


def _closed(text: str, at: int) -> int:
    """The place after the bracket that closes the one at `at`. Raises IndexError if there is none."""
    depth = 0
    while True:
        depth += {"[": 1, "]": -1}.get(text[at], 0)
        at += 1
        if not depth:
            return at


def _without_literals(text: str, fits: Fits, sort: str, deep: int = 0) -> str:
    """The text with "" for each f-string (or t-string) that needs a newer Python. Raises ValueError, IndexError."""
    made, at = [], 0
    while found := _START.search(text, at):
        made.append(text[at : found.start()])
        prefix, quote = found["prefix"] or "", found["quote"]
        if quote is None:
            at, literal = found.end(), found[0]
        elif sort in prefix.casefold():
            at, inner = _formatted(text, found.end(), quote, "r" in prefix.casefold())
            literal = text[found.start() : at]
            if not fits(literal) and all(_reads(one, fits, sort, deep) for one in inner):
                literal = '""'
        else:
            at = _plain(text, found.end(), quote)
            literal = text[found.start() : at]
        made.append(literal)
    return "".join([*made, text[at:]])


def _reads(expression: str, fits: Fits, sort: str, deep: int) -> bool:
    if deep >= _DEEP:
        return False
    for one in (expression, re.sub(r"=\s*$", "", expression)):  # f"{now=}"
        if fits(f"({one}\n)") or fits(f"({_without_literals(one, fits, sort, deep + 1)}\n)"):
            return bool(one.strip())
    return False


def _plain(text: str, at: int, quote: str) -> int:
    """The place after a string whose first quote ends at `at`. Raises ValueError, IndexError."""
    while not text.startswith(quote, at):
        if text[at] == "\n" and len(quote) == 1:
            raise ValueError("a string that does not end on its line")
        at += 2 if text[at] == "\\" else 1
    return at + len(quote)


def _formatted(text: str, at: int, quote: str, raw: bool) -> tuple[int, list[str]]:
    """The place after an f-string, and the expressions in it. Raises ValueError, IndexError."""
    inner: list[str] = []
    while not text.startswith(quote, at):
        if text[at : at + 2] in ("{{", "}}"):
            at += 2
        elif text[at] == "{":
            at = _field(text, at + 1, quote, inner)
        elif text[at] == "}" or (text[at] == "\n" and len(quote) == 1):
            raise ValueError("no f-string of any version")
        elif text[at] == "\\" and not raw:
            at = text.index("}", at) + 1 if text.startswith("\\N{", at) else at + 2
        else:
            at += 1
    return at + len(quote), inner


def _field(text: str, at: int, quote: str, inner: list[str]) -> int:
    """The place after a `{...}` whose content begins at `at`; its expressions are added to `inner`."""
    begin, depth = at, 0
    while depth or text[at] not in "}:!" or text[at : at + 2] == "!=":
        if found := _START.match(text, at):
            string = found["quote"]
            at = _end(text, found) if string else found.end()
            continue
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[at], 0)
        at += 2 if text[at : at + 2] == "!=" else 1
    inner.append(text[begin:at])
    if text[at] == "!":
        at += 2
    if text[at] == ":":
        at += 1
        while text[at] != "}":
            if text.startswith(quote, at):
                raise ValueError("an f-string that ends within a field")
            at = _field(text, at + 1, quote, inner) if text[at] == "{" else at + 1
    if text[at] != "}":
        raise ValueError("a field that does not end")
    return at + 1


def _end(text: str, start: re.Match[str]) -> int:
    """The place after the string that this match begins."""
    prefix = (start["prefix"] or "").casefold()
    if "f" in prefix or "t" in prefix:
        return _formatted(text, start.end(), start["quote"], "r" in prefix)[0]
    return _plain(text, start.end(), start["quote"])
