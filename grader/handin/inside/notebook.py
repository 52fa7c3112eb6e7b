"""A notebook file -> its cells. Outputs are passed over, and metadata have no effect."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from grader.handin.inside.document import Cell, Notebook, Refused
from grader.handin.inside.text import decode

CELLS = 3_000  # of one notebook
KEPT = 4_000_000  # characters of all its cells
_PICTURES = 8_000_000  # bytes of a notebook whose attachments are kept
_MB = 1_000_000


def notebook(path: str, data: bytes) -> Notebook:
    """The notebook in this file, whatever its version. Raises Refused."""
    text, note = decode(data)
    book = _json(text)
    cells, notes = _cells(book, attachments=len(data) <= _PICTURES)
    kept = sum(len(cell.source) for cell in cells)
    if kept > KEPT:
        raise Refused(f"has more than {KEPT // _MB} MB without its outputs")
    if len(data) - kept > 10 * _MB:
        notes.insert(0, f"has outputs of {(len(data) - kept) // _MB} MB, which were passed over")
    return Notebook(path, cells, tuple([note] * bool(note) + [*notes, *_format(book), *_doubles(cells)]))


def _json(text: str) -> dict[str, Any]:
    if not text.strip():
        raise Refused("is empty")
    try:
        book = json.loads(text)
    except RecursionError:
        raise Refused("is nested too deep to be read") from None
    except MemoryError:
        raise Refused("needs more memory than there is for one submission") from None
    except ValueError as error:
        if marks := re.search(r"^\s*(<{7}|>{7}) ", text, re.MULTILINE):
            line = text.count("\n", 0, marks.end()) + 1
            raise Refused(f"holds the marks of a merge conflict (line {line}), so it is not a notebook") from None
        if text.startswith("PK\x03\x04"):
            raise Refused("is a zip archive, not a notebook") from None
        line = getattr(error, "lineno", 0)
        raise Refused(f"is damaged: it is not JSON{f' (line {line})' if line else ''}") from None
    if not isinstance(book, dict):
        raise Refused("is JSON, but not a notebook")
    return book


def _cells(book: dict[str, Any], attachments: bool) -> tuple[tuple[Cell, ...], list[str]]:
    """Its cells, and what is unusual about them. Raises Refused."""
    listed: Any = book.get("cells")
    if "cells" not in book and isinstance(sheets := book.get("worksheets"), list):  # before version 4
        listed = [cell for sheet in sheets if isinstance(sheet, dict) for cell in _list(sheet.get("cells"))]
    if not isinstance(listed, list):
        raise Refused("is JSON, but has no cells, so it is not a notebook")
    if len(listed) > CELLS:
        raise Refused(f"has more than {CELLS:,} cells")
    made, notes, others = [], [], 0
    for number, cell in enumerate(listed, 1):
        if not isinstance(cell, dict):
            others += 1
            continue
        source, note = _source(cell.get("source", cell.get("input")))
        notes += [note] if note and note not in notes else []
        nbgrader = _dict(_dict(cell.get("metadata")).get("nbgrader"))
        id_, grade_id = (_name(where, key) for where, key in ((cell, "id"), (nbgrader, "grade_id")))
        pictures = _attachments(cell.get("attachments")) if attachments else {}
        made.append(Cell(number, _name(cell, "cell_type") or "code", source, id_, grade_id, pictures))
        version = nbgrader.get("schema_version", 3)
        if isinstance(version, bool) or version not in (1, 2, 3):
            note = "has cells of an unknown nbgrader version"
            notes += [note] if note not in notes else []
    if others:
        notes.append("has an entry that is not a cell")
    return tuple(made), notes


def _source(source: Any) -> tuple[str, str]:
    note = ""
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        cut = len(source) > 1 and not any(line.endswith("\n") for line in source)
        note = "has cells whose lines lack line endings" if cut else ""
        source = ("\n" if cut else "").join(source)
    if not isinstance(source, str):
        return "", "has a cell without source"
    if "\r" in source:
        source, note = source.replace("\r\n", "\n").replace("\r", "\n"), "has Windows line endings"
    return source.removeprefix("\ufeff"), note


def _attachments(given: Any) -> dict[str, dict[str, str]]:
    """The files that were pasted into a cell, name -> type -> data; what has another form is left out."""
    return {
        name: {kind: data for kind, data in _dict(kinds).items() if isinstance(data, str)}
        for name, kinds in _dict(given).items()
    }


def _format(book: dict[str, Any]) -> Iterator[str]:
    version: list[Any] = [book.get("nbformat"), book.get("nbformat_minor")]
    if any(type(number) is not int or not 0 <= number < 1000 for number in version):
        yield "does not state its format version"
    elif version[0] != 4 or version[1] > 5:
        yield f"states format version {version[0]}.{version[1]}"


def _doubles(cells: tuple[Cell, ...]) -> Iterator[str]:
    for names in ([cell.id for cell in cells], [cell.grade_id for cell in cells]):
        double = {name for name, times in Counter(filter(None, names)).items() if times > 1}
        where = [cell.number for cell, name in zip(cells, names, strict=True) if name in double]
        if where:
            told = ", ".join(map(str, where[:6])) + (" ..." if len(where) > 6 else "")
            yield f"has several cells with the same id (cells {told})"
            return


def _name(holder: dict[str, Any], key: str) -> str:
    value = holder.get(key)
    return value if isinstance(value, str) and len(value) <= 200 else ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
