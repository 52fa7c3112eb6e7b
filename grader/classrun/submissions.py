"""Find the submissions of a class: one sub-folder a student, identified by a digest of its files."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.display import line, pasted
from grader.errors import GraderError
from grader.handin.layout import student_of

ARCHIVES = (".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".7z")
_IGNORED = ("__pycache__", ".ipynb_checkpoints", ".git", ".DS_Store")
_MOST_FILES = 5_000  # of one submission; further ones are not in its digest
_MOST_BYTES = 5_000_000  # of one file, likewise; ordinary files have some 100,000


@dataclass(frozen=True)
class SubmissionFolder:
    """One submission. `student` is the folder's name, printable; `digest` is 64 hexadecimal digits."""

    student: str
    folder: Path
    digest: str


Found = tuple[list[SubmissionFolder], list[str]]  # the submissions, and a sentence for each entry that is none


def submission_folders(folder: Path) -> Found:
    """Return all submissions by name, and a sentence for each entry that is none. Raises GraderError if none is."""
    try:
        entries = sorted(folder.iterdir(), key=lambda entry: os.fsencode(entry.name))
    except OSError as error:
        raise GraderError(
            f"{folder}: {error.strerror}. Name the folder that has a sub-folder for each student."
        ) from None
    _refuse_packed(folder, [entry.name for entry in entries])
    found, left_out = [], []
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if problem := _problem(entry):
            left_out.append(f"{line(entry.name)}: {problem}")
        else:
            found.append(SubmissionFolder(line(entry.name), entry, digest(entry)))
    if not found:
        make = f"Make one for each student: `lab-grader unpack {pasted(folder)} INTO`."
        raise GraderError(
            f"{folder} has no sub-folder, so no student has handed anything in. "
            f"{make if left_out else 'Is it another folder?'}"
        )
    return found, left_out


def _refuse_packed(folder: Path, names: list[str]) -> None:
    """Raise GraderError if these are files as an LMS packs them: a student would be in the class twice, or missing."""
    students = [student_of(name) for name in names]
    twice = next((student for student in students if student and students.count(student) > 1), "")
    if twice:
        raise GraderError(
            f"{folder} has several files or folders of {line(twice)}, as an LMS packs them. "
            f"Make one folder for each student first: `lab-grader unpack {pasted(folder)} INTO`."
        )


def _problem(entry: Path) -> str:
    """Return why this is not a student's folder; empty if it is one."""
    if entry.is_symlink():
        return "a link, which is not followed; put the folder itself here"
    if entry.is_dir():
        return ""
    if entry.suffix.lower() in ARCHIVES:
        return "an archive; unpack it into the folder of a student"
    return "not a folder"


def digest(folder: Path) -> str:
    """Return a digest of the names and contents, not the dates. It follows no link, and never raises."""
    made = hashlib.sha256()
    for number, path in enumerate(_files(folder)):
        if number == _MOST_FILES:
            break
        made.update(os.fsencode(path.relative_to(folder)) + b"\0" + _content(path) + b"\0")
    return made.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):  # follows no links, and skips folders that it may not list
        links = [name for name in folders if os.path.islink(os.path.join(root, name))]  # noqa: PTH114, PTH118 - they never raise
        folders[:] = sorted(name for name in folders if name not in _IGNORED and name not in links)
        for name in sorted((*files, *links)):
            if name not in _IGNORED:
                yield Path(root, name)


def _content(path: Path) -> bytes:
    """Return a digest of a file's content; of any other entry, its type."""
    try:
        info = path.lstat()
        if stat.S_ISLNK(info.st_mode):
            return b"link " + os.fsencode(path.readlink())
        if not stat.S_ISREG(info.st_mode):
            return b"special"  # opening a pipe would block
        with path.open("rb") as file:
            return b"file %d " % info.st_size + hashlib.sha256(file.read(_MOST_BYTES)).digest()
    except OSError as error:
        return b"unreadable %d" % (error.errno or 0)
