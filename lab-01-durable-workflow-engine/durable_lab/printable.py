"""How text from outside (ids, names, payloads, errors, file names) is shown and quoted."""

from __future__ import annotations

import codecs
import os
import re
import shlex
import unicodedata

_ASCII = str.maketrans("█░●✖◇✉▶·▲↯≠─…", "#.*xo@>.^!/-.")  # one character each, so that tables keep their columns


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


def fitting(text: str, encoding: str) -> str:
    """`text` in characters that the encoding has: our own marks become similar ones, all others escapes."""
    return text.encode(encoding, "durable-lab").decode(encoding)


def _similar(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(_ASCII)
    return text.encode("ascii", "backslashreplace").decode("ascii"), error.end


codecs.register_error("durable-lab", _similar)


def quoted(argument: str, encoding: str) -> str:
    """The argument quoted for a shell."""
    if os.name == "nt":
        return for_windows(argument)
    if printable(argument) == argument == fitting(argument, encoding):
        return shlex.quote(argument)
    octets = (chr(b) if 32 <= b < 127 and chr(b) not in "\\'" else f"\\{b:03o}" for b in os.fsencode(argument))
    return f"$'{''.join(octets)}'"


def for_windows(argument: str) -> str:
    """The argument quoted for cmd and PowerShell, also if it has a character that is special to them."""
    from subprocess import list2cmdline

    text = list2cmdline([argument])
    return f'"{text}"' if text[:1] != '"' and re.search(r"[^\w.:\\/+-]", text) else text
