"""Hostile archives. In each lies `ann/lab/engine.py`, an honest one, and what Mallory has made.

A function gets the archive's path and a room of the test. `unpack` gets it then, and both are graded.
"""

from __future__ import annotations

import io
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from durable_lab import source
from tests.hostile.attack import SOLVED, STUBS

HONEST = source.replace_function(STUBS, "Context.now", source.text_of(SOLVED, "Context.now"))
ANN, MALLORY = "ann/lab/engine.py", "mallory/lab/engine.py"
MARK = "a-mark-of-a-hostile-test"
ARCHIVES: list[Callable[[Path, Path], Path]] = []


def archive(make: Any) -> Any:
    ARCHIVES.append(make)
    return make


def zipped(path: Path, entries: dict[str, Any], **options: Any) -> Path:
    with zipfile.ZipFile(path / "class.zip", "w", **options) as made:
        for name, data in {ANN: HONEST, **entries}.items():
            made.writestr(name, data)
    return path / "class.zip"


def tarred(path: Path, *entries: tuple[str, bytes, str, str]) -> Path:
    """Entries: name, kind (a constant of tarfile), where a link leads, text."""
    with tarfile.open(path / "class.tar", "w") as made:
        for name, kind, to, text in ((ANN, tarfile.REGTYPE, "", HONEST), *entries):
            info = tarfile.TarInfo(name)
            info.type, info.linkname, info.size, info.mode = kind, to, len(text.encode()), 0o6777
            made.addfile(info, io.BytesIO(text.encode()))
    return path / "class.tar"


@archive
def names_that_climb_out(path, room):
    """Names with `..`, from the root of the disk, of other disks, with backslashes and codes."""
    evil = f"{MARK}.py"
    names = (
        "../",
        "../../",
        "/tmp/",
        "mallory/../../",
        "mallory/lab/../../../",
        "C:\\",
        "..\\",
        "\\\\server\\",
        "mallory\\..\\..\\",
    )
    more = {"//tmp/" + evil: "x", "./../" + evil: "x", "%2e%2e/" + evil: "x", "mallory/..": "x", "\u2025/" + evil: "x"}
    return zipped(
        path, {**{name + evil: "x" for name in names}, **more, "../ann/lab/engine.py": "stolen", MALLORY: STUBS}
    )


@archive
def links_in_a_zip(path, room):
    """Links to another student's work and to the root, and files that go through them."""
    link = zipfile.ZipInfo("mallory/lab")
    link.external_attr = 0o120777 << 16
    made = zipped(path, {MALLORY.replace("lab/", "more/"): STUBS})
    with zipfile.ZipFile(made, "a") as archive:
        archive.writestr(link, "../ann/lab")
        archive.writestr("mallory/lab/engine.py", "stolen or overwritten")
        other = zipfile.ZipInfo("mallory/engine.py")
        other.external_attr = 0o120777 << 16
        archive.writestr(other, str(room / "submissions" / "bob" / "lab" / "engine.py"))
    return made


@archive
def links_in_a_tar(path, room):
    """Links, hard links, devices and pipes in a tar, and files that go through them."""
    bob = str(room / "submissions" / "bob" / "lab" / "engine.py")
    return tarred(
        path,
        ("mallory/lab", tarfile.SYMTYPE, "../ann/lab", ""), (MALLORY, tarfile.REGTYPE, "", "overwritten"),
        ("mallory/engine.py", tarfile.LNKTYPE, ANN, ""), ("mallory/1.py", tarfile.LNKTYPE, bob, ""),
        ("mallory/2.ipynb", tarfile.SYMTYPE, bob, ""), ("mallory/3.ipynb", tarfile.FIFOTYPE, "", ""),
        ("mallory/4.ipynb", tarfile.CHRTYPE, "", ""), ("mallory/5.ipynb", tarfile.BLKTYPE, "", ""),
        (f"../{MARK}.py", tarfile.REGTYPE, "", "x"), (f"/tmp/{MARK}.py", tarfile.REGTYPE, "", "x"),
    )  # fmt: skip


@archive
def a_bomb(path, room):
    """A zip of 200 kB that unpacks to 200 MB."""
    with zipfile.ZipFile(path / "class.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
        made.writestr(ANN, HONEST)
        with made.open("mallory/bomb.ipynb", "w", force_zip64=True) as file:
            for _ in range(200):
                file.write(bytes(1 << 20))
        made.writestr(MALLORY, STUBS)
    return path / "class.zip"


@archive
def a_bomb_that_lies(path, room):
    """A zip whose table says that its bomb has ten bytes."""
    made = zipped(path, {"mallory/bomb.ipynb": bytes(50 << 20), MALLORY: STUBS}, compression=zipfile.ZIP_DEFLATED)
    data = made.read_bytes()
    made.write_bytes(data.replace(struct.pack("<I", 50 << 20), struct.pack("<I", 10)))
    return made


@archive
def a_bomb_in_a_bomb(path, room):
    """Zips in zips in zips."""
    data = bytes(10 << 20)
    for _ in range(6):
        inner = io.BytesIO()
        with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as made:
            for number in range(4):
                made.writestr(f"{number}.zip", data)
                made.writestr(f"{number}.ipynb", data[: 10 << 20])
        data = inner.getvalue()
    return zipped(path, {"mallory/inner.zip": data, MALLORY: STUBS})


@archive
def entries_that_overlap(path, room):
    """What a student handed in is a zip in which a thousand names share one bomb's bytes."""
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("0.ipynb", bytes(5 << 20))
        first = made.getinfo("0.ipynb")
        for number in range(1, 1000):
            info = zipfile.ZipInfo(f"{number}.ipynb")
            for name in ("compress_type", "CRC", "compress_size", "file_size", "header_offset"):
                setattr(info, name, getattr(first, name))
            made.filelist.append(info)
    return zipped(path, {"mallory/work.zip": inner.getvalue(), MALLORY: STUBS})


@archive
def twenty_thousand_entries(path, room):
    """A zip of twenty thousand files."""
    with zipfile.ZipFile(path / "class.zip", "w") as made:
        made.writestr(ANN, HONEST)
        for number in range(20_000):
            made.writestr(f"mallory/{number}/{number}.py", "x")
        made.writestr(MALLORY, STUBS)
    return path / "class.zip"


@archive
def one_name_many_times(path, room):
    """One name many times: upper and lower case, as a file and as a folder, composed and decomposed."""
    names = [
        MALLORY.replace("engine", name) for name in ("Engine", "ENGINE", "e\u0301", "\u00e9", "engine.py/x", "engine ")
    ]
    with zipfile.ZipFile(path / "class.zip", "w") as made:
        made.writestr(ANN, HONEST)
        for name in [MALLORY, *names]:
            made.writestr(name, STUBS)
        for name in ("ANN/lab/engine.py", "ann /lab/engine.py", "\u0430nn/lab/engine.py", "ann./lab/engine.py"):
            made.writestr(name, "the work of somebody who would be ann")
    return path / "class.zip"


@archive
def names_that_cannot_be_said(path, room):
    """Names with scripts, colours, line ends, nulls, lone surrogates, 300 characters, and device names."""
    names = [
        "<script>alert(1)</script>",
        "\x1b[31m",
        "a\nb",
        "x" * 300,
        "\u202e",
        "CON",
        "a\x00b",
        "-rf",
        "~",
        " ",
        "%s",
        "...",
    ]
    return zipped(
        path,
        {**{f"mallory/{name}.py": "x" for name in names}, **{f"{name}/x.py": "x" for name in names}, MALLORY: STUBS},
    )


@archive
def notes_of_ours(path, room):
    """Files of the names that the grader itself leaves, for other students and for its own folders."""
    names = (
        ".unpacked.json",
        ".unpacked",
        "ann/.unpacked.json",
        "mallory/.unpacked.json",
        ".spool",
        "grades.db",
        "grades/grades.db",
    )
    return zipped(path, {**dict.fromkeys(names, '{"refusals": ["ann is late"], "late": "very"}'), MALLORY: STUBS})


@archive
def a_locked_zip(path, room):
    """An entry that is encrypted, one of an unknown method, one with a wrong sum, and an end that is cut off."""
    made = zipped(
        path, {MALLORY: STUBS, "mallory/1.py": "x" * 100, "mallory/2.py": "y" * 100, "mallory/3.py": "z" * 100}
    )
    data = bytearray(made.read_bytes())
    for name, at, value in ((b"mallory/1.py", 8, 1), (b"mallory/2.py", 10, 77)):
        entry = data.rindex(name) - 46
        data[entry + at] = value
    data[data.index(b"zzzz")] = ord("!")
    made.write_bytes(bytes(data))
    return made
