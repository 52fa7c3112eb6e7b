"""From bytes to text, whatever editor wrote them."""

from __future__ import annotations

import codecs
import re

from grader.handin.inside.document import Refused

_WIDE = {codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32"}  # before UTF-16, whose mark begins alike
_WIDE |= {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_COOKIE_LINE = re.compile(r"^([ \t\f]*#.*?)coding([:=])", re.ASCII)
_LATIN = {"latin-1": "latin-1", "iso-8859-1": "latin-1", "iso-8859-15": "iso-8859-15", "cp1252": "cp1252"}
_LATIN |= {"latin1": "latin-1", "windows-1252": "cp1252", "iso8859-15": "iso-8859-15"}


def decode(data: bytes, cookie: bool = False) -> tuple[str, str]:
    """The text with "\\n" line ends, and a note if it was not plain UTF-8. Raises Refused.

    cookie  it is Python, which may name its encoding in the first two lines
    """
    for mark, name in _WIDE.items():
        if data.startswith(mark):
            try:
                return _plain(data.decode(name)), f"is in {name.upper()}"
            except UnicodeDecodeError:
                raise Refused(f"begins like {name.upper()}, but is not") from None
    note = "begins with a byte order mark" if data.startswith(codecs.BOM_UTF8) else ""
    data = data.removeprefix(codecs.BOM_UTF8)
    if data[1:2] == b"\0" or data[:1] == b"\0":
        try:
            return _plain(data.decode("utf-16-le" if data[1:2] == b"\0" else "utf-16-be")), "is in UTF-16"
        except UnicodeDecodeError:
            raise Refused("is not text: it begins with null bytes") from None
    told = next((m[1].decode().casefold() for line in data.split(b"\n", 2)[:2] if (m := _COOKIE.match(line))), "")
    if cookie and not note and told.replace("_", "-") in _LATIN:
        name = _LATIN[told.replace("_", "-")]
        return _plain(data.decode(name, "replace")), f"is in {name}"
    try:
        return _plain(data.decode("utf-8")), note
    except UnicodeDecodeError:
        return _plain(data.decode("cp1252", "replace")), "is not in UTF-8, and was read as Windows-1252"


def _plain(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def without_cookie(text: str) -> str:
    """Python whose first two lines name no encoding: the engines are written in UTF-8."""
    lines = text.split("\n", 2)
    return "\n".join([_COOKIE_LINE.sub(r"\1coded\2", line) for line in lines[:2]] + lines[2:])
