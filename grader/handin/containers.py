"""The entries of a zip, a tar or a folder. What an archive says about its own sizes and names is not trusted."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import re
import stat
import tarfile
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from grader.handin import limits
from grader.handin.files import Unreachable, kind, load_stream
from grader.handin.inside.document import Refused
from grader.handin.inside.names import shown

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
FOREIGN = (".7z", ".rar", ".gz", ".bz2", ".xz")
_CHUNK = 1 << 20
_ODD = re.compile(r'[<>:"|?*]')


@dataclass(frozen=True)
class Entry:
    """One entry. `why` says why it is not taken; `open` gives its bytes if it is a file."""

    name: str  # as the container has it
    is_file: bool
    why: str = ""
    open: Callable[[], IO[bytes]] | None = None
    unreachable: bool = False  # `why` is a fault of this machine, not of the student

    def raw(self) -> tuple[str, ...]:
        """Its path within the container, unchanged."""
        return tuple(part for part in self.name.replace("\\", "/").split("/") if part not in ("", "."))

    def parts(self) -> list[str]:
        """Its path within the container, safe to write at. Raises Refused."""
        name, parts = self.name.replace("\\", "/"), self.raw()
        if name.startswith("/") or re.match(r"[A-Za-z]:", name):
            raise Refused("its name begins at the root of a disk")
        if ".." in parts:
            raise Refused("its name leads out of the folder")
        if len(parts) > limits.DEPTH or any(len(part.encode("utf-8", "replace")) > limits.NAME for part in parts):
            raise Refused("its name is too long")
        return [_plain(part) for part in parts]


def _plain(part: str) -> str:
    part = unicodedata.normalize("NFC", part)
    part = "".join(letter if letter.isprintable() else "_" for letter in part)
    return _ODD.sub("_", part).strip(" ") or "_"


def is_archive(name: str) -> bool:
    return name.casefold().endswith(ARCHIVES)


def without_ending(name: str) -> str:
    """The name of an archive without `.tar.gz` and the like."""
    ending = max((ending for ending in ARCHIVES if name.casefold().endswith(ending)), key=len, default="")
    return name[: len(name) - len(ending)] or name


def entries(path: Path) -> Iterator[Entry]:
    """The entries of a folder or an archive. An entry's bytes must be read before the next entry is asked for.

    Raises Refused if it is no archive, or is damaged or hostile.
    """
    if path.is_dir():
        yield from _folder(path)
        return
    with load_stream(path) as file:
        head = file.read(6)
        file.seek(0)
        try:
            if head[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
                yield from _zip(file)
            else:
                yield from _tar(file, head)
        except Refused:
            raise
        except OSError as error:
            if error.errno is not None:  # a fault of this machine, not of the archive
                raise
            raise Refused("is damaged, or no archive") from None
        except (Exception, RecursionError, MemoryError):
            raise Refused("is damaged, or no archive") from None


def _folder(folder: Path) -> Iterator[Entry]:
    closed: list[OSError] = []
    for root, folders, files in os.walk(folder, onerror=closed.append):
        folders.sort()
        yield from (_on_disk(Path(root, name), folder) for name in sorted([*folders, *files]))
    for error in closed:
        inside = Path(os.fsdecode(error.filename)).relative_to(folder).as_posix()
        yield Entry(inside, False, f"it cannot be listed: {error.strerror}", unreachable=True)


def _on_disk(path: Path, folder: Path) -> Entry:
    inside = path.relative_to(folder).as_posix()
    try:
        mode = path.lstat().st_mode
    except OSError as error:
        return Entry(inside, True, f"it cannot be read: {error.strerror}", unreachable=True)
    if stat.S_ISDIR(mode):
        return Entry(inside, False)
    why = kind(mode)
    return Entry(inside, True, f"it is {why}" if why else "", _opener(path))


def _opener(path: Path) -> Callable[[], IO[bytes]]:
    return lambda: load_stream(path)


def _zip(file: IO[bytes]) -> Iterator[Entry]:
    size = file.seek(0, os.SEEK_END)
    if _directory_size(file, size) > limits.ARCHIVE_DIRECTORY:
        raise Refused("lists too many files")
    with zipfile.ZipFile(file) as archive:
        listed = archive.infolist()
        if len(listed) > limits.ARCHIVE_ENTRIES:
            raise Refused("lists too many files")
        if sum(info.file_size for info in listed) > limits.ARCHIVE_RATIO * size + limits.NOTEBOOK:
            raise Refused("unpacks to a thousand times its size and more, which no honest archive does")
        for info in listed:
            mode = info.external_attr >> 16
            what = kind(mode) if info.create_system == 3 and stat.S_IFMT(mode) else ""
            why = f"it is {what}" if what and not info.is_dir() else ""
            why = "it is encrypted" if info.flag_bits & 1 else why
            yield Entry(info.filename, not info.is_dir(), why, _zip_opener(archive, info))


def _zip_opener(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], IO[bytes]]:
    return lambda: archive.open(info)


def _directory_size(file: IO[bytes], size: int) -> int:
    """The size of a zip's table of contents in bytes, as the end of the zip states it."""
    file.seek(max(0, size - 66_000))
    tail = file.read()
    file.seek(0)
    end = tail.rfind(b"PK\x05\x06")
    told = int.from_bytes(tail[end + 12 : end + 16], "little") if end >= 0 else 0
    if told < 0xFFFFFFFF:
        return told
    large = tail.rfind(b"PK\x06\x06", 0, end)
    return int.from_bytes(tail[large + 40 : large + 48], "little") if large >= 0 else size


class _Limited:
    """A decompressed stream that raises Refused after it has given more than it may."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._left = file, limits.ARCHIVE_TOTAL

    def read(self, size: int) -> bytes:
        if not 0 <= size <= 32 * _CHUNK:  # a header of this size is no header
            raise Refused("is damaged, or no archive")
        data = self._file.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise Refused("unpacks to more than is taken")
        return data


def _tar(file: IO[bytes], head: bytes) -> Iterator[Entry]:
    plain: Any = file
    if head[:2] == b"\x1f\x8b":
        plain = gzip.GzipFile(fileobj=file)
    elif head[:3] == b"BZh":
        plain = bz2.BZ2File(file)
    elif head == b"\xfd7zXZ\0":
        plain = lzma.LZMAFile(file)  # noqa: SIM115 - it ends with the file that it reads
    stream: Any = _Limited(plain)
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for number, member in enumerate(archive):
            if number >= limits.ARCHIVE_ENTRIES:
                raise Refused("lists too many files")
            archive.members = []  # type: ignore[attr-defined]  # it would keep all of them
            what = (
                "" if member.isreg() and not member.issparse() else "a link" if member.islnk() or member.issym() else ""
            )
            if not what and not member.isreg() and not member.isdir():
                what = "a device or a pipe"
            why = f"it is {what}" if what else "it has holes" if member.issparse() else ""
            yield Entry(member.name, not member.isdir(), why, _tar_opener(archive, member))


def _tar_opener(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Callable[[], IO[bytes]]:
    def open_() -> IO[bytes]:
        file = archive.extractfile(member)
        if file is None:
            raise Refused("it is not a file")
        return file

    return open_


def copy(entry: Entry, to: Path, most: int) -> int:
    """Write an entry's bytes into a new file. Returns how many. Raises Refused, and leaves no partial file."""
    if entry.open is None:
        raise Refused("it is not a file")
    written = 0
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    try:
        number = os.open(to, flags, 0o600)
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        raise Refused("something of this name is there already") from None
    try:
        with os.fdopen(number, "wb") as out:
            for data in _chunks(entry.open):
                written += len(data)
                if written > most:
                    raise Refused(f"it has more than {most // 1_000_000} MB, or all files together have too much")
                out.write(data)
    except BaseException:
        to.unlink()
        raise
    return written


def _chunks(opener: Callable[[], IO[bytes]]) -> Iterator[bytes]:
    try:
        with opener() as file:
            while data := file.read(_CHUNK):
                yield data
    except (Refused, GeneratorExit):
        raise
    except OSError as error:
        if error.errno:
            raise Unreachable(f"it cannot be read: {error.strerror}") from None
        raise Refused("it is damaged") from None
    except (Exception, RecursionError, MemoryError):
        raise Refused("it is damaged, or packed in a way that is not known here") from None


def sentence(entry: Entry, why: object) -> str:
    """The sentence about an entry that is not taken."""
    return f"{shown(entry.name)} was left out: {why}."
