"""Text from outside (ids, names, payloads, errors, file names) on its way to a screen."""

from __future__ import annotations

import unicodedata


def printable(text: str, keep: str = "") -> str:
    """`text` with every character escaped that a terminal would obey or could not show, except those in `keep`.

    An ESC comes out as the four characters \\x1b. Escaped are control characters, invisible ones that change the order
    of a line (U+202E), line separators, and lone surrogates, which stand for bytes that are not UTF-8.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep or _is_space(c) else _escaped(c) for c in text)


def _is_space(character: str) -> bool:  # a no-break space, for one
    return unicodedata.category(character) == "Zs"


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
