"""Two logs of the same program beside each other: of a right engine, and of a wrong one.

as it should be                    | with this belief
pay(30) -> "receipt"  key kim/0    | pay(30) -> "receipt"  key 0
pay(30) -> "receipt"  key lee/0    # pay(30) -> "receipt"  key 0
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import pairwise, zip_longest

WIDTH = 110  # of a line, in characters
MAX_ROWS = 9  # a longer example is cut
HEADINGS = "as it should be", "with this belief"  # of the two columns
_VARYING = {
    r"\b1[0-9]{9}\.[0-9]+": "(a time of this machine)",
    r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b": "(a random key)",
}


def side_by_side(right: list[str], wrong: list[str], headings: tuple[str, str] = HEADINGS, most: int = MAX_ROWS) -> str:
    """Return two columns. A line that differs, or that only one side has, is marked with `#`."""
    many = any(line.startswith("-- process 2") for line in right + wrong)
    ours, theirs = ([_steady(line) for line in lines if many or line != "-- process 1"] for lines in (right, wrong))
    rows = _rows(ours, theirs)
    rows = [(*headings, " "), *_cut(rows, most)]
    left = min(max(len(row[0]) for row in rows), WIDTH // 2)
    made = [f"{_short(a, left):<{left}} {mark} {_short(b, WIDTH - left - 3)}".rstrip() for a, b, mark in rows]
    return "\n".join(made)


Row = tuple[str, str, str]


def _rows(right: list[str], wrong: list[str]) -> list[Row]:
    """Return the lines beside each other, process by process."""
    none: list[str] = []
    parts = zip_longest(_parts(right), _parts(wrong), fillvalue=none)
    return [row for ours, theirs in parts for row in _beside(ours, theirs)]


def _parts(lines: list[str]) -> list[list[str]]:
    starts = [0, *(i for i, line in enumerate(lines) if i and line.startswith("-- ")), len(lines)]
    return [lines[start:end] for start, end in pairwise(starts)]


def _beside(right: list[str], wrong: list[str]) -> list[Row]:
    """Return two lists of lines beside each other: their common beginning, then the rest, aligned by difflib."""
    if len(right) == len(wrong):
        return [(one, other, "|" if one == other else "#") for one, other in zip(right, wrong, strict=True)]
    first = next((i for i, (one, other) in enumerate(zip(right, wrong, strict=False)) if one != other), 0)
    rows = [(line, line, "|") for line in right[:first]]
    for _, a, b, c, d in SequenceMatcher(None, right[first:], wrong[first:], autojunk=False).get_opcodes():
        for one, other in zip_longest(right[first:][a:b], wrong[first:][c:d], fillvalue=""):
            rows.append((one, other, "|" if one == other else "#"))
    return rows


def _cut(rows: list[Row], most: int) -> list[Row]:
    """Return at most so many rows: from two before the first difference, and the last one."""
    if len(rows) <= most:
        return rows
    first = next((i for i, row in enumerate(rows) if row[2] == "#"), 0)
    start = max(0, min(first - 2, len(rows) - most))
    end = start + most
    gap = ("...", "...", "|")
    kept = rows[start:end]
    if start:
        kept[0] = gap
    if end < len(rows):
        kept[-2:] = [gap, rows[-1]]
    return kept


def _steady(line: str) -> str:
    for pattern, word in _VARYING.items():
        line = re.sub(pattern, word, line)
    return line


def _short(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."
