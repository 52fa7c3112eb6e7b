"""Unpack what instructors collect into a folder for each student. Hostile archives are expected."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.errors import GraderError
from grader.handin import limits
from grader.handin.containers import FOREIGN, Entry, copy, entries, is_archive, sentence, without_ending
from grader.handin.files import SKIPPED, Unreachable
from grader.handin.inside.document import Refused
from grader.handin.inside.names import shown, sort_of
from grader.handin.layout import GRADESCOPE, Layout, Name, Place, layout, named_by_gradescope
from grader.handin.reading import NOTE
from grader.handin.release import stems

_MADE = ".unpacked"  # in the target folder: the folders that were made here and may be replaced
_JUNK = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)  # names that Windows does not allow


class ArchiveError(GraderError):
    """Nothing was unpacked, because the request cannot be carried out. The message is for the instructor."""


@dataclass(frozen=True)
class Collected:
    """One student's work: `student, folder = collected`. The folder has the student's name.

    refusals     what was left out, a sentence each; `read` finds them in the folder, too
    only         "a text" or "a link", if nothing but this was handed in
    passed_over  files of a kind that is not graded, a sentence each
    """

    student: str
    folder: Path
    refusals: tuple[str, ...] = ()
    late: str = ""
    only: str = ""
    passed_over: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[object]:
        return iter((self.student, self.folder))


class Unpacked(list[Collected]):
    """All students, by name. `refusals`, `passed_over`: sentences on files that belong to no student."""

    refusals: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()


@dataclass
class _Student:
    folder: Path
    refusals: list[str] = field(default_factory=list)
    passed_over: list[str] = field(default_factory=list)
    late: str = ""
    text: str = ""  # what the LMS itself stored: "a text" or "a link"
    unreachable: str = ""  # why a file of theirs cannot be read on this machine
    seen: set[str] = field(default_factory=set)
    files: int = 0
    size: int = 0


def unpack(archive: Path, into: Path) -> Unpacked:
    """Take the notebooks, Python files and archives out of `archive` (a zip, a tar, a folder) into a folder each.

    The path of a file, as an LMS or a person named it, says which student it belongs to (see `layout`). Unpacking again
    gives the same result.
    Raises ArchiveError if `archive` is not there, if its students cannot be told apart, or if something of another
    origin stands in the way in `into`.
    """
    if not archive.exists():
        raise ArchiveError(f"{archive} does not exist. Name an archive, or the folder that you collected into.")
    called = without_ending(archive.name) or "student"
    damaged = ""
    names: list[Name] = []
    try:
        names = [name for entry in entries(archive) if (name := _name(entry))]
    except Unreachable as why:
        raise ArchiveError(f"{archive} {why}. Make it readable, or name another archive.") from None
    except Refused as why:
        damaged = f"{shown(archive.name)} {why}."
    try:
        plan = layout([] if damaged else names, called)
        if not plan.form and not damaged:
            above = plan.wrapper[: plan.wrapper.index(plan.one)] if plan.one in plan.wrapper else plan.wrapper
            who = _called(archive, (*above, GRADESCOPE))
            plan = replace(plan, called=who, one=who.get(plan.one, plan.one))
        places = [place for name in names if (place := _place(plan, name))] if not damaged else [Place(called)]
    except Refused as why:
        raise ArchiveError(f"{archive}: {why}") from None
    students = _folders([plan.one] if plan.one else [place.student for place in places], into)
    made = Unpacked()
    if damaged:
        students[plan.one].refusals.append(damaged)
    else:
        _take_all(archive, plan, students, into, made)
    if plan.one:
        students[plan.one].refusals += made.refusals
        made.refusals = ()
    for place in places:
        students[place.student].late = students[place.student].late or place.late
    return _told(students, made)


def _name(entry: Entry) -> Name | None:
    """Its path; None if it cannot be used, or if a tool made it."""
    try:
        parts = entry.parts()
    except Refused:
        return None
    return None if _is_junk(parts) else Name(tuple(parts), entry.raw(), entry.is_file)


def _called(archive: Path, path: tuple[str, ...]) -> dict[str, str]:
    """The students of each submission as Gradescope's metadata file names them; empty if there is no such file."""
    for entry in entries(archive):
        if entry.is_file and entry.raw() == path and entry.open and not entry.why:
            try:
                with entry.open() as file:
                    return named_by_gradescope(file.read(limits.METADATA).decode("utf-8", "replace"))
            except (Refused, OSError, zipfile.BadZipFile, zlib.error):
                return {}
    return {}


def _is_junk(parts: Sequence[str]) -> bool:
    return bool(SKIPPED & set(parts)) or bool(parts and (parts[-1] in _JUNK or parts[-1].startswith("._")))


def _place(plan: Layout, name: Name) -> Place | None:
    try:
        return plan.place(name)
    except Refused:
        return None


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
    """A folder name for each student: their own if every system can store it and no other is similar."""
    own = [unicodedata.normalize("NFC", student) for student in students]
    plain = ["".join(letter if letter.isalnum() or letter in " ._-+,@'()" else "_" for letter in name) for name in own]
    plain = [name.strip(" .")[:80].rstrip(" .") or "student" for name in plain]
    times = Counter(_alike(name) for name in plain)
    return [
        name
        if name == as_written and times[_alike(name)] == 1 and not _RESERVED.fullmatch(name)
        else f"{name.partition('.')[0] if _RESERVED.fullmatch(name) else name}-{_hash(student)}"
        for name, as_written, student in zip(plain, own, students, strict=True)
    ]


def _alike(name: str) -> str:
    """Equal for names that some systems cannot tell apart."""
    return unicodedata.normalize("NFKC", name).casefold()


def _hash(student: str) -> str:
    return hashlib.sha256(student.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _take_all(archive: Path, plan: Layout, students: dict[str, _Student], into: Path, made: Unpacked) -> None:
    """Extract the files that are wanted; the others are reported with their student, or with the archive."""
    left = limits.ARCHIVE_TOTAL
    strays: list[str] = []
    try:
        for entry in entries(archive):
            try:
                parts = entry.parts()
            except Refused as why:
                whose = _claimed(entry, plan, students)
                (whose.refusals if whose else strays).append(sentence(entry, why))
                continue
            if _is_junk(parts) or not (entry.is_file or entry.unreachable):
                continue
            try:
                place = plan.place(Name(tuple(parts), entry.raw(), entry.is_file))
            except Refused as why:
                made.passed_over = (*made.passed_over, sentence(entry, why))
                continue
            if place is None and parts[-1] == GRADESCOPE:
                continue
            if place is None:
                reason = sentence(entry, entry.why or "it belongs to no student")
                if entry.why or _is_wanted(entry.name):
                    strays.append(reason)
                else:
                    made.passed_over = (*made.passed_over, reason)
                continue
            student = students[place.student]
            before = student.size
            if entry.unreachable:
                student.unreachable = student.unreachable or sentence(entry, entry.why)
            elif place.text and not _is_wanted(entry.name):
                student.text = place.text
            else:
                _take(entry, list(place.path), student, into, deep=0, room=left)
            left -= student.size - before
    except Refused as why:
        strays.append(f"{shown(archive.name)} {why}; what had been taken out before is there.")
    made.refusals = tuple(strays)


def _claimed(entry: Entry, plan: Layout, students: dict[str, _Student]) -> _Student | None:
    """The student whose folder an entry with an unusable name claims to be in."""
    if plan.one:
        return students[plan.one]
    raw = entry.raw()[: len(plan.wrapper) + 1]
    place = _place(plan, Name(raw, raw, False))
    return students.get(place.student) if place else None


def _take(entry: Entry, path: list[str], student: _Student, into: Path, deep: int, room: int) -> None:
    name = path[-1] if path else ""
    if _is_junk(path) or name == NOTE:
        return
    try:
        if not _is_wanted(name):
            if name.casefold().endswith(FOREIGN):
                raise Refused("hand in a .zip or .tar.gz, or the files themselves")
            if entry.why:
                raise Refused(entry.why)
            student.passed_over.append(f"{shown(entry.name)} was left out: it is no notebook, Python file or archive.")
            return
        if entry.why:
            raise Refused(entry.why)
        if student.files >= limits.STUDENT_FILES:
            raise Refused("there are too many files")
        if "/".join(path).casefold() in student.seen:
            raise Refused("a file of this name, in large or small letters, was there before")
        if is_archive(name):
            if deep >= limits.PACKED:
                raise Refused("it is an archive within an archive within an archive")
            _take_nested(entry, path, student, into, deep + 1, room)
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
    except Unreachable as why:
        student.unreachable = student.unreachable or sentence(entry, why)
    except Refused as why:
        student.refusals.append(sentence(entry, why))


def _take_nested(entry: Entry, path: list[str], student: _Student, into: Path, deep: int, room: int) -> None:
    """Extract an archive that a student handed in into a folder of its name."""
    spool = into / f".spool{deep}"
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
                _take(inner, [*path[:-1], without_ending(path[-1]), *parts], student, into, deep, room)
    except Refused as why:
        words = str(why)
        raise Refused(words if words.startswith("it ") else f"it {words}") from None
    finally:
        spool.unlink(missing_ok=True)


def _is_wanted(name: str) -> bool:
    return bool(sort_of(name)) or is_archive(name) or any(stem in name.casefold() for stem in stems())


def _told(students: dict[str, _Student], made: Unpacked) -> Unpacked:
    for student in students.values():
        only = student.text if not student.files and not student.refusals else ""
        unreachable = student.unreachable
        if student.refusals or student.late or only or unreachable:
            note = {"refusals": student.refusals[:50], "late": student.late, "only": only, "unreachable": unreachable}
            (student.folder / NOTE).write_text(json.dumps(note, indent=1, ensure_ascii=False), encoding="utf-8")
        made.append(
            Collected(
                student.folder.name,
                student.folder,
                (*student.refusals, *([unreachable] if unreachable else [])),
                student.late,
                only,
                tuple(student.passed_over),
            )
        )
    made.sort(key=lambda collected: collected.student)
    return made
