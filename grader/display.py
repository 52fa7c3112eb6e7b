"""Text that a student made, made harmless for a terminal, a page and a file."""

from __future__ import annotations

import shlex
import unicodedata
from pathlib import Path

_KEPT = "\n\t\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"  # the joiners: names in Persian and Hindi need them
# Cc: escape sequences would drive the instructor's terminal. Cf: some turn a line round, or are not seen at all.
# Cs: half a character, which no file can hold. Co, Cn: nobody knows what they look like.
_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def plain(text: str, room: int = 20_000) -> str:
    """The text with what cannot be seen shown as `\\x1b`; cut at `room` characters, with a word about it."""
    text = text.replace("\r\n", "\n")
    if len(text) > room:
        text = f"{text[:room]}\n[cut here: {len(text) - room} more characters]"
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_shown, text))


def line(text: str, room: int = 300) -> str:
    """The same, on one line."""
    return plain(" ".join(text.split()), room)


def _shown(letter: str) -> str:
    if letter in _KEPT or unicodedata.category(letter) not in _HIDDEN:
        return letter
    return letter.encode("unicode_escape", "surrogatepass").decode()


def pasted(path: Path) -> str:
    """The path as a shell takes it for one name: quoted, and never for an option."""
    text = str(path)
    return shlex.quote(f"./{text}" if text.startswith("-") else text)


def number(points: float) -> str:
    """Points for people: 14, 7.5, 3.33."""
    return f"{points:.2f}".rstrip("0").rstrip(".")


def count(many: int, one: str, more: str = "") -> str:
    """`1 test`, `2 tests`."""
    return f"{many} {one if many == 1 else more or one + 's'}"
