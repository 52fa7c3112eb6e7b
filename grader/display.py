"""Text from submissions, made printable for a terminal, a page and a file; paths and numbers for messages."""

from __future__ import annotations

import sys
from pathlib import Path

from durable_lab.printable import printable, quoted

KEPT = "\n\t\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"  # the joiners: names in Persian and Hindi need them


def plain(text: str, room: int = 20_000) -> str:
    """Return the text with invisible characters escaped, as in `\\x1b`; cut after `room` characters, with a note."""
    text = text.replace("\r\n", "\n")
    if len(text) > room:
        text = f"{text[:room]}\n[cut here: {len(text) - room} more characters]"
    return printable(text, KEPT)


def line(text: str, room: int = 300) -> str:
    """Return the same on one line."""
    return plain(" ".join(text.split()), room)


def pasted(path: Path) -> str:
    """The path quoted for a shell, and never taken for an option."""
    text = str(path)
    return quoted(f"./{text}" if text.startswith("-") else text, sys.stdout.encoding or "utf-8")


def number(points: float) -> str:
    """Return points as 14, 7.5 or 3.33."""
    return f"{points:.2f}".rstrip("0").rstrip(".")


def count(many: int, one: str, more: str = "") -> str:
    """Return `1 test` or `2 tests`."""
    return f"{many} {one if many == 1 else more or one + 's'}"
