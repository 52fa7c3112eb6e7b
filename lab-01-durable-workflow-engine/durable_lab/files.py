"""Read and change a student's file: make a backup, keep its encoding and line ends, and replace it atomically."""

from __future__ import annotations

import io
import os
import re
import tokenize
from itertools import count
from pathlib import Path


class Unreadable(ValueError):
    """The bytes of a file are not Python source. The message follows the file's name: "is not saved in UTF-8 ..."."""


def read(path: Path) -> str:
    """The text of a Python file, with `\\n` at the end of each line. Raises OSError, Unreadable."""
    data = path.read_bytes()
    return data.decode(_encoding(data)).replace("\r\n", "\n").replace("\r", "\n")


def _encoding(data: bytes) -> str:
    """The encoding by the byte order mark or the `coding:` line; otherwise UTF-8, as in Python. Raises Unreadable."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data[:200]:
        raise Unreadable("is not saved in UTF-8 (it looks like UTF-16), so Python cannot read it. Save it in UTF-8.")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start]
        raise Unreadable(
            f"is not saved in {error.encoding.upper()}: line {line} has the byte 0x{byte:02x}, so Python cannot read "
            "it (it looks like Latin-1). Save the file in UTF-8."
        ) from None
    except SyntaxError as error:
        if bad := re.search(rb"[^\x00-\x7f]", data):
            line = data.count(b"\n", 0, bad.start()) + 1
            raise Unreadable(
                f"is not saved in UTF-8: line {line} has the byte 0x{bad[0][0]:02x}, so Python cannot read it "
                "(it looks like Latin-1). Save the file in UTF-8."
            ) from None
        raise Unreadable(f"cannot be read: {error.msg}. Save the file in UTF-8, without a `coding:` line.") from None
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        raise Unreadable(f"holds a null character in line {line}, so Python cannot read it. Remove it.")
    return encoding


def keep(path: Path) -> Path:
    """Copy the file into a new backup beside it. Returns the backup. Raises OSError."""
    backup = aside_of(path)
    backup.write_bytes(path.read_bytes())
    return backup


def aside_of(path: Path) -> Path:
    """The first free name for a backup of `path`."""
    return next(name for i in count(1) if not (name := path.with_name(f"{path.name}.backup-{i}")).exists())


def rewrite(path: Path, text: str) -> None:
    """Replace the file's text atomically: on a full disk the old text stays. Raises OSError."""
    _replace(path, text.encode())


def rewrite_python(path: Path, text: str) -> None:
    """As `rewrite`, but with the line ends and the encoding of the existing file.

    Raises OSError; ValueError if the file cannot be read, or its encoding lacks a character.
    """
    old = path.read_bytes()
    data = text.encode(_encoding(old))
    _replace(path, data.replace(b"\n", b"\r\n") if b"\r\n" in old else data)


def _replace(path: Path, data: bytes) -> None:
    draft = path.with_name(f".{path.name}.draft")
    try:
        draft.write_bytes(data)
        os.replace(draft, path)  # noqa: PTH105 - os.replace names the operation
    finally:
        draft.unlink(missing_ok=True)
