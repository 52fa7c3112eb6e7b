"""Unpack what instructors collect: a folder for each student, whatever it came in and whatever is in it."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from grader.submission import limits
from grader.submission.containers import FOREIGN, Entry, copy, entries, is_archive, sentence
from grader.submission.files import SKIPPED, shown
from grader.submission.layout import Layout, Place, layout, without_ending
from grader.submission.model import Refused
from grader.submission.reading import NOTE

_MADE = ".unpacked"  # in the folder that is unpacked into: the folders that we made, and may make anew


class ArchiveError(Exception):
    """Nothing could be unpacked, because of what was asked for. The message is for the instructor."""


@dataclass(frozen=True)
class Collected:
    """One student's work: `student, folder = collected`. The folder has the student's name.

    refusals  what was left out, a sentence each; `read` finds them in the folder, too
    """

    student: str
    folder: Path
    refusals: tuple[str, ...] = ()
    late: str = ""

    def __iter__(self) -> Iterator[object]:
        return iter((self.student, self.folder))


class Unpacked(list[Collected]):
    """All students, by name. `refusals`: sentences on what belongs to none of them."""

    refusals: tuple[str, ...] = ()


@dataclass
class _Student:
    folder: Path
    refusals: list[str] = field(default_factory=list)
    late: str = ""
    seen: set[str] = field(default_factory=set)
    files: int = 0
    size: int = 0


def unpack(archive: Path, into: Path) -> Unpacked:
    """Take the notebooks, Python files and archives out of `archive` (a zip, a tar, a folder) into a folder each.

    Whose a file is follows from its path, as Moodle, Canvas or a person named it; an archive of one student is theirs
    under its own name. Done twice, it makes the same. Raises ArchiveError where `archive` is not there, or where
    something of another origin stands in the way in `into`.
    """
    if not archive.exists():
        raise ArchiveError(f"{archive} does not exist. Name an archive, or the folder that you collected into.")
    called = without_ending(archive.name) or "student"
    strays: list[str] = []
    try:
        plan = layout(list(_names(archive)), called)
        places = [place for entry in entries(archive) if (place := _place(plan, entry))]
    except Refused as why:
        plan, places = Layout((), called), [Place(called)]
        strays.append(f"{shown(archive.name)} {why}.")
    students = _folders([called] if plan.one else [place.student for place in places], into)
    if not strays:
        _take_all(archive, plan, students, into, strays)
    if plan.one:
        students[plan.one].refusals[:0], strays = strays, []
    for place in places:
        students[place.student].late = students[place.student].late or place.late
    return _told(students, strays)


def _names(archive: Path) -> Iterator[tuple[list[str], bool]]:
    for entry in entries(archive):
        try:
            parts = entry.parts()
        except Refused:
            continue
        if not SKIPPED & set(parts):
            yield parts, entry.is_file


def _place(plan: Layout, entry: Entry) -> Place | None:
    """Whose it is; of an entry whose name cannot be used, whose it claims to be."""
    try:
        parts = entry.parts()
    except Refused:
        return None
    return None if SKIPPED & set(parts) else plan.place(parts, entry.is_file)


def _folders(names: Iterable[str], into: Path) -> dict[str, _Student]:
    """An empty folder for each student. Raises ArchiveError."""
    wanted = sorted(set(names))
    folders = dict(zip(wanted, _folder_names(wanted), strict=True))
    made_before = _made(into)
    for folder in folders.values():
        if (into / folder).exists() and folder not in made_before:
            raise ArchiveError(f"{into / folder} is there already, and was not unpacked by us. Name another folder.")
    into.mkdir(parents=True, exist_ok=True)
    (into / _MADE).write_text(json.dumps(sorted({*made_before, *folders.values()})), encoding="utf-8")
    for folder in folders.values():
        shutil.rmtree(into / folder, ignore_errors=True)
        (into / folder).mkdir()
    return {name: _Student(into / folder) for name, folder in folders.items()}


def _made(into: Path) -> list[str]:
    try:
        names = json.loads((into / _MADE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def _folder_names(students: list[str]) -> list[str]:
    """A folder's name for each of them: their own, where that is a good one and differs from all others."""
    plain = [
        "".join(letter if letter.isalnum() or letter in " ._-+,@'()" else "_" for letter in name) for name in students
    ]
    plain = [name.strip(" .")[:80] or "student" for name in plain]
    times = Counter(name.casefold() for name in plain)
    return [
        name
        if name == student and times[name.casefold()] == 1
        else f"{name}-{hashlib.sha256(student.encode()).hexdigest()[:8]}"
        for name, student in zip(plain, students, strict=True)
    ]


def _take_all(archive: Path, plan: Layout, students: dict[str, _Student], into: Path, strays: list[str]) -> None:
    """Take out what is wanted; what is not taken is said, to whom it concerns."""
    left = limits.ARCHIVE_TOTAL
    try:
        for entry in entries(archive):
            try:
                parts = entry.parts()
            except Refused as why:
                whose = _claimed(entry, plan, students)
                (whose.refusals if whose else strays).append(sentence(entry, why))
                continue
            if not entry.is_file or SKIPPED & set(parts):
                continue
            place = plan.place(parts, is_file=True)
            if place is None:
                reason = entry.why or ("it belongs to no student" if _is_wanted(entry.name) else "")
                strays += [sentence(entry, reason)] if reason else []
                continue
            student = students[place.student]
            before = student.size
            _take(entry, list(place.path), student, into, nested=False, room=left)
            left -= student.size - before
    except Refused as why:
        strays.append(f"{shown(archive.name)} {why}; what had been taken out before is there.")


def _claimed(entry: Entry, plan: Layout, students: dict[str, _Student]) -> _Student | None:
    if plan.one:
        return students[plan.one]
    first = entry.name.replace("\\", "/").split("/")
    try:
        place = plan.place(first[: len(plan.wrapper) + 1], False)
    except IndexError:
        return None
    return students.get(place.student) if place else None


def _take(entry: Entry, path: list[str], student: _Student, into: Path, nested: bool, room: int) -> None:
    name = path[-1] if path else ""
    if SKIPPED & set(path) or name.startswith("._") or name == NOTE:
        return
    try:
        if not _is_wanted(name):
            if name.casefold().endswith(FOREIGN):
                raise Refused("hand in a .zip or .tar.gz, or the files themselves")
            return
        if entry.why:
            raise Refused(entry.why)
        if student.files >= limits.STUDENT_FILES:
            raise Refused("there are too many files")
        if "/".join(path).casefold() in student.seen:
            raise Refused("a file of this name, in large or small letters, was there before")
        if is_archive(name):
            if nested:
                raise Refused("it is an archive within an archive")
            _take_nested(entry, path, student, into, room)
            return
        most = min(limits.NOTEBOOK, limits.STUDENT_TOTAL - student.size, room)
        target = student.folder.joinpath(*path)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise Refused("a file stands in the place of its folder") from None
        student.size += copy(entry, target, most)
        student.files += 1
        student.seen.add("/".join(path).casefold())
    except Refused as why:
        student.refusals.append(sentence(entry, why))


def _take_nested(entry: Entry, path: list[str], student: _Student, into: Path, room: int) -> None:
    """The files of an archive that a student handed in, in a folder of its name."""
    spool = into / ".spool"
    spool.unlink(missing_ok=True)
    try:
        copy(entry, spool, min(limits.NESTED, room))
        for inner in entries(spool):
            try:
                parts = inner.parts()
            except Refused as why:
                student.refusals.append(sentence(inner, why))
                continue
            if inner.is_file and parts:
                _take(inner, [*path[:-1], without_ending(path[-1]), *parts], student, into, nested=True, room=room)
    except Refused as why:
        words = str(why)
        raise Refused(words if words.startswith("it ") else f"it {words}") from None
    finally:
        spool.unlink(missing_ok=True)


def _is_wanted(name: str) -> bool:
    return name.casefold().endswith((".ipynb", ".py")) or is_archive(name)


def _told(students: dict[str, _Student], strays: list[str]) -> Unpacked:
    made = Unpacked()
    for student in students.values():
        if student.refusals or student.late:
            note = {"refusals": student.refusals[:50], "late": student.late}
            (student.folder / NOTE).write_text(json.dumps(note, indent=1, ensure_ascii=False), encoding="utf-8")
        made.append(Collected(student.folder.name, student.folder, tuple(student.refusals), student.late))
    made.sort(key=lambda collected: collected.student)
    made.refusals = tuple(strays)
    return made
