"""Lists a student's folder and opens its files: never through a link, and never anything but an ordinary file."""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from grader.handin import limits
from grader.handin.inside.document import Refused
from grader.handin.inside.names import sort_of

A_FOLDER = "a folder"
SKIPPED = frozenset({"__pycache__", ".ipynb_checkpoints", "__MACOSX", ".git", ".venv", "venv", "node_modules"})
SKIPPED |= {"site-packages", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis"}


class Unreachable(Refused):
    """This machine cannot read a file: no permission, or a damaged disk. That is no fault of the student."""


@dataclass
class Folder:
    """The files of interest by their path within the folder, in the order of depth and name."""

    root: Path
    files: dict[str, Path] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)  # path within the folder -> why it is not read
    unreadable: dict[str, str] = field(default_factory=dict)  # path -> why this machine cannot read it
    others: list[str] = field(default_factory=list)  # paths of files that are of no interest
    cut: str = ""  # why not all files were looked at

    def path(self, name: str) -> Path:
        return self.files.get(name, self.root / name)


def look(folder: Path) -> Folder:
    """The notebooks and Python files in this folder, and why others cannot be read. Raises Refused."""
    found = Folder(folder)
    if folder.is_symlink() or not folder.is_dir():
        raise Refused("is not a folder of its own")
    for number, (path, entry) in enumerate(_entries(folder, found)):
        if number >= limits.FILES:
            found.cut = f"holds more than {limits.FILES:,} files, and only the first ones were looked at"
            break
        if entry.name.startswith("._"):
            continue
        try:
            what = kind(entry.stat(follow_symlinks=False).st_mode)
        except OSError as error:
            found.unreadable[path] = f"cannot be read: {error.strerror}"
            continue
        if what == A_FOLDER and not sort_of(entry.name):
            continue
        if what:
            found.refused[path] = f"is {what}, not a file"
        elif sort_of(entry.name):
            found.files[path] = Path(entry.path)
        else:
            found.others.append(path)
    return found


def _entries(folder: Path, found: Folder) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Everything below this folder except what tools put there, the top level first."""
    waiting: deque[tuple[str, Path, int]] = deque([("", folder, 0)])
    while waiting:
        prefix, here, depth = waiting.popleft()
        try:
            with os.scandir(here) as scan:
                entries = sorted(scan, key=lambda entry: os.fsencode(entry.name))
        except OSError as error:
            found.unreadable[prefix.rstrip("/") or "the folder"] = f"cannot be listed: {error.strerror}"
            continue
        for entry in entries:
            if entry.name not in SKIPPED:
                yield prefix + entry.name, entry
                if entry.is_dir(follow_symlinks=False) and depth < limits.DEPTH:
                    waiting.append((f"{prefix}{entry.name}/", Path(entry.path), depth + 1))


def kind(mode: int) -> str:
    """The kind of a file in the words of a report; empty for an ordinary file."""
    kinds = (
        (stat.S_ISREG, ""),
        (stat.S_ISLNK, "a link"),
        (stat.S_ISDIR, A_FOLDER),
        (stat.S_ISFIFO, "a named pipe"),
        (stat.S_ISSOCK, "a socket"),
    )
    return next((word for test, word in kinds if test(mode)), "a device")


def load_stream(path: Path) -> IO[bytes]:
    """An ordinary file, opened. Raises Refused."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        number = os.open(path, flags)
    except (OSError, ValueError) as error:
        raise Unreachable(f"cannot be opened: {getattr(error, 'strerror', None) or 'its name is not one'}") from None
    if what := kind(os.fstat(number).st_mode):
        os.close(number)
        raise Refused(f"is {what}, not a file")
    return os.fdopen(number, "rb")


def load(path: Path, limit: int) -> bytes:
    """The bytes of an ordinary file of at most `limit` bytes. Raises Refused."""
    with load_stream(path) as file:
        try:
            data = file.read(limit + 1)
        except OSError as error:
            raise Unreachable(f"cannot be read: {error.strerror}") from None
    if len(data) > limit:
        raise Refused(f"has more than {_size(limit)}")
    return data


def _size(number: int) -> str:
    return f"{number // 1_000_000} MB" if number >= 1_000_000 else f"{number // 1_000} kB"
