"""A notebook file -> its cells. Only their text is read: outputs are passed over, and nothing else has an effect."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from grader.handin import limits
from grader.handin.model import Refused
from grader.handin.text import decode

_SMALL = 1_000_000  # such a file is read as it is
_COLON = re.compile(rb"\s*:\s*(?=[\[{])")
# Parts of a string literal, and parts between two brackets. Each repetition is bounded, so that a match takes little
# memory, and nothing follows it, so that no match goes back. (Python before 3.11.5 matches possessive ones wrongly.)
_IN_STRING = re.compile(rb'(?:[^"\\]+|\\.){1,1000}', re.DOTALL)
_NO_BRACKET = re.compile(rb'(?:[^"\[\]{}]+|"[^"\\]*(?:\\.[^"\\]*){0,50}"){1,1000}', re.DOTALL)
_BRACKETS = 3_000_000  # in the outputs of one notebook


def tidy(text: str) -> str:
    """A cell's text without what no one sees: spaces at the ends of lines, empty lines around it."""
    return "\n".join(map(str.rstrip, text.strip().split("\n")))


@dataclass(frozen=True)
class Cell:
    """`number` is counted from 1 over cells of all kinds; `kind` is "code", "markdown" or "raw"."""

    number: int
    kind: str
    source: str
    id: str = ""  # "" where it has none
    grade_id: str = ""  # nbgrader's

    @cached_property
    def tidy(self) -> str:
        return tidy(self.source)


@dataclass(frozen=True)
class Notebook:
    """`path` is where it lies in the hand-in, fit to be shown. `notes` says what is odd of the file: "has ..."."""

    path: str
    cells: tuple[Cell, ...]
    notes: tuple[str, ...] = ()

    @property
    def has_ids(self) -> bool:
        return any(cell.id for cell in self.cells)


def notebook(path: str, data: bytes) -> Notebook:
    """The notebook in this file, whatever its version. Raises Refused."""
    notes = []
    size = len(data)
    if size > _SMALL:
        if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data[:4]:
            raise Refused("is large and not in UTF-8")
        data = without_outputs(data)
        if size - len(data) > 10 * _SMALL:
            notes.append(f"has outputs of {(size - len(data)) // _SMALL} MB, which were passed over")
    text, note = decode(data)
    notes += [note] if note else []
    book = _json(text)
    cells, odd = _cells(book)
    return Notebook(path, cells, (*notes, *odd, *_format(book), *_doubles(cells)))


def without_outputs(data: bytes) -> bytes:
    """The JSON with empty outputs and attachments, made without reading it as JSON. Raises Refused."""
    kept: list[bytes] = []
    start = pos = size = 0
    while (quote := data.find(b'"', pos)) >= 0 and (pos := _behind_string(data, quote)):
        if size + pos - start > limits.NOTEBOOK_KEPT:
            break
        if data[quote:pos] in (b'"outputs"', b'"attachments"') and (colon := _COLON.match(data, pos)):
            kept.append(data[start : colon.end()] + (b"[]" if data[colon.end()] == ord("[") else b"{}"))
            size += len(kept[-1])
            start = pos = _end_of(data, colon.end())
    kept.append(data[start:])
    if size + len(kept[-1]) > limits.NOTEBOOK_KEPT:
        raise Refused(f"has more than {limits.NOTEBOOK_KEPT // 1_000_000} MB without its outputs")
    return b"".join(kept)


def _end_of(data: bytes, pos: int) -> int:
    """Where the value that opens at `pos` is closed. Raises Refused."""
    depth = 0
    for _ in range(_BRACKETS):
        if pos >= len(data) or data[pos] == ord('"'):
            raise Refused("is cut off, or was not written as a notebook")
        depth += 1 if data[pos] in b"[{" else -1
        pos += 1
        if depth == 0:
            return pos
        pos = _next_bracket(data, pos)
    raise Refused("has outputs of too many parts")


def _next_bracket(data: bytes, pos: int) -> int:
    """From within a value to its next bracket, over all strings on the way; or to a string that has no end."""
    while True:
        while found := _NO_BRACKET.match(data, pos):
            pos = found.end()
        if data[pos : pos + 1] != b'"' or not (behind := _behind_string(data, pos)):
            return pos
        pos = behind


def _behind_string(data: bytes, quote: int) -> int:
    """Where the string that opens at `quote` has ended; 0 where it does not end."""
    pos = quote + 1
    while found := _IN_STRING.match(data, pos):
        pos = found.end()
    return pos + 1 if data[pos : pos + 1] == b'"' else 0


def _json(text: str) -> dict[str, Any]:
    if not text.strip():
        raise Refused("is empty")
    try:
        book = json.loads(text)
    except RecursionError:
        raise Refused("is nested too deep to be read") from None
    except ValueError as error:
        if marks := re.search(r"^\s*(<{7}|>{7}) ", text, re.MULTILINE):
            line = text.count("\n", 0, marks.end()) + 1
            raise Refused(f"holds the marks of a merge conflict (line {line}), so it is no notebook any more") from None
        if text.startswith("PK\x03\x04"):
            raise Refused("is a zip archive, not a notebook") from None
        line = getattr(error, "lineno", 0)
        raise Refused(f"is damaged: it is not JSON{f' (line {line})' if line else ''}") from None
    if not isinstance(book, dict):
        raise Refused("is JSON, but not a notebook")
    return book


def _cells(book: dict[str, Any]) -> tuple[tuple[Cell, ...], list[str]]:
    """Its cells, and what is odd of them. Raises Refused."""
    listed: Any = book.get("cells")
    if "cells" not in book and isinstance(sheets := book.get("worksheets"), list):  # before version 4
        listed = [cell for sheet in sheets if isinstance(sheet, dict) for cell in _list(sheet.get("cells"))]
    if not isinstance(listed, list):
        raise Refused("is JSON, but has no cells, so it is not a notebook")
    if len(listed) > limits.CELLS:
        raise Refused(f"has more than {limits.CELLS:,} cells")
    made, odd, strange = [], [], 0
    for number, cell in enumerate(listed, 1):
        if not isinstance(cell, dict):
            strange += 1
            continue
        source, note = _source(cell.get("source", cell.get("input")))
        odd += [note] if note and note not in odd else []
        nbgrader = _dict(_dict(cell.get("metadata")).get("nbgrader"))
        id_, grade_id = (_name(where, key) for where, key in ((cell, "id"), (nbgrader, "grade_id")))
        made.append(Cell(number, _name(cell, "cell_type") or "code", source, id_, grade_id))
        version = nbgrader.get("schema_version", 3)
        if isinstance(version, bool) or version not in (1, 2, 3):
            note = "has cells of a strange version of nbgrader"
            odd += [note] if note not in odd else []
    if strange:
        odd.append("has something in it that is not a cell")
    return tuple(made), odd


def _source(source: Any) -> tuple[str, str]:
    note = ""
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        cut = len(source) > 1 and not any(line.endswith("\n") for line in source)
        note = "has cells whose lines have no ends" if cut else ""
        source = ("\n" if cut else "").join(source)
    if not isinstance(source, str):
        return "", "has a cell without a text"
    if "\r" in source:
        source, note = source.replace("\r\n", "\n").replace("\r", "\n"), "has line ends of Windows"
    return source.removeprefix("\ufeff"), note


def _format(book: dict[str, Any]) -> Iterator[str]:
    version: list[Any] = [book.get("nbformat"), book.get("nbformat_minor")]
    if any(type(number) is not int or not 0 <= number < 1000 for number in version):
        yield "does not say of which version it is"
    elif version[0] != 4 or version[1] > 5:
        yield f"says that it is of version {version[0]}.{version[1]}"


def _doubles(cells: tuple[Cell, ...]) -> Iterator[str]:
    for names in ([cell.id for cell in cells], [cell.grade_id for cell in cells]):
        double = {name for name, times in Counter(filter(None, names)).items() if times > 1}
        where = [cell.number for cell, name in zip(cells, names, strict=True) if name in double]
        if where:
            told = ", ".join(map(str, where[:6])) + (" ..." if len(where) > 6 else "")
            yield f"has copies of a cell under the same name (cells {told})"
            return


def _name(holder: dict[str, Any], key: str) -> str:
    value = holder.get(key)
    return value if isinstance(value, str) and len(value) <= 200 else ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
