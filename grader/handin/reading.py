"""Read a hand-in: what counts of it, what was put right, and what cannot be used. Nothing of it is run."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from durable_lab.todos import all_todos
from grader.handin import limits
from grader.handin.answers import answered, predicted, too_new
from grader.handin.assemble import Builder
from grader.handin.choose import Choice, choice
from grader.handin.containers import is_archive
from grader.handin.definitions import Pool, needs
from grader.handin.engine import EngineFile, changed_outside, engine_file, find
from grader.handin.files import Folder, Unreachable, load, look, shown, sort_of
from grader.handin.match import Copy, lesson_named, matched
from grader.handin.methods import BY_COPY, BY_ID, BY_MARK, BY_NAME, Method, in_cell
from grader.handin.model import Refused, Submission
from grader.handin.notebook import Notebook, notebook
from grader.handin.release import METHODS, PARTS, Release, current
from grader.handin.syntax import Source, Unreadable, readable

NOTE = ".unpacked.json"  # what `unpack` leaves beside the files: {"refusals": [...], "late": "...", "only": "a text"}
_NEWER = "Grade this submission with a newer Python"
_DEFINED = re.compile(r"^(?:(?:async[ \t]+)?(?:def|class)|type)[ \t]+(\w+)|^(\w+)[ \t]*[:=]", re.MULTILINE)


def read(
    folder: Path,
    student: str,
    *,
    files: bool = False,
    release: Release | None = None,
    late: str = "",
    refused: Iterable[str] = (),
) -> Submission:
    """The submission in this folder. Whatever is in it, nothing is raised: what cannot be used has its reason there.

    files    lab/engine.py counts even where there are notebooks
    release  what was handed out; the notebooks that this repository makes, unless another one is given
    late     a note for the report
    refused  sentences on what was left out before, for instance by `unpack`
    """
    try:
        return _read(folder, student, files, release or current(), late, list(refused))
    except (Exception, RecursionError, MemoryError) as error:
        why = f"could not be read ({type(error).__name__}); that is a fault of the grader. Please tell whoever runs it."
        return Submission(student, refusals={"submission": why}, late=late, not_graded=f"It {why}")


@dataclass(frozen=True)
class NewerCell:
    """A cell of the student's own that needs a newer Python. `names` is what it seems to define."""

    where: str
    why: str
    names: frozenset[str]


@dataclass
class _Findings:
    """What is found on the way."""

    repairs: list[str] = field(default_factory=list)
    refusals: dict[str, str] = field(default_factory=dict)
    pool: Pool = field(default_factory=Pool)
    cells: dict[str, list[Method]] = field(default_factory=lambda: {part: [] for part in PARTS})
    homes: dict[str, str] = field(default_factory=dict)  # function -> where its own cell is, whatever is in it
    newer: list[NewerCell] = field(default_factory=list)
    ungraded: dict[str, str] = field(default_factory=dict)  # part of the rubric -> why it needs a newer Python
    code: int = 0  # characters read as Python


def _read(folder: Path, student: str, files: bool, release: Release, late: str, refused: list[str]) -> Submission:
    found = _Findings()
    try:
        there = look(folder)
    except Refused as why:
        said = f"what was handed in {why}"
        return Submission(student, refusals={"submission": said}, late=late)
    _unpacked(folder, refused, found)
    late = late or _text(folder, "late")
    if there.cut:
        found.repairs.append(f"The folder {there.cut}.")
    copies, unread = _notebooks(there, release, found)
    file = _file(there, found)
    if unreachable := _text(folder, "unreachable"):
        told = f"{unreachable} Make it readable for the grader, and unpack again."
        return Submission(student, refusals=found.refusals, late=late, not_graded=told)
    if there.unreadable:
        return Submission(student, refusals=found.refusals, late=late, not_graded=_unreadable(there))
    files_only = files or not (any(copy.lesson for copy in copies) or unread or (copies and file is None))
    if not files_only:
        _look_at_cells(copies, release, found)
        _tell_missing(copies, unread, release, found)
    choices = {part: choice(part, found.cells[part], file.methods.get(part) if file else None) for part in PARTS}
    _tell_choices(choices, copies, file, files_only, release, found)
    refused_todos = [number for number in all_todos() if f"TODO {number}" in found.refusals]
    builder = Builder(choices, found.pool, file, files_only)
    made = builder.engines(refused_todos)
    stubs = frozenset(number for number in all_todos() if number not in made.alone and number not in refused_todos)
    nothing = not copies and not unread and file is None
    not_graded = ""
    if nothing or (there.refused and not copies and file is None):
        not_graded = _why_no_mark(there, _text(folder, "only"))
    if nothing:
        found.refusals.setdefault("submission", _nothing(there))
    lessons = answered(copies, release)
    found.refusals |= {f"question {name}": reason for name, reason in lessons.refused.items()}
    found.ungraded |= {part: f"{why}. {_NEWER}" for part, why in too_new(copies, release).items()}
    return Submission(
        student,
        None if nothing else made.whole,
        made.alone,
        frozenset() if nothing else stubs,
        {number: _origin(number, choices) for number in made.alone},
        lessons.answers,
        predicted(copies, release),
        tuple(dict.fromkeys([*found.repairs, *made.said, *lessons.said])),
        found.refusals,
        late,
        found.ungraded,
        not_graded,
    )


def _unreadable(there: Folder) -> str:
    told = [f"{shown(path)} {why}" for path, why in list(there.unreadable.items())[:3]]
    more = f", and {len(there.unreadable) - 3} more" if len(there.unreadable) > 3 else ""
    return f"{'; '.join(told)}{more}. Make it readable for the grader, or copy it again from where it was handed in."


_TEXTS = (".html", ".htm", ".txt", ".md", ".rtf", ".url", ".webloc")


def _why_no_mark(there: Folder, only: str) -> str:
    """Why a hand-in without a notebook or an engine can have no mark, which is not 0; "" if 0 is right."""
    if only:
        return f"Only {only} was handed in, and no file."
    packed = [shown(path) for path in there.others if is_archive(path)]
    if packed:
        return f"The work is packed in {packed[0]}. Unpack the class first: `lab-grader unpack`."
    if there.refused:
        path, why = next(iter(there.refused.items()))
        return f"{shown(path)} {why}, and nothing else can be read. Ask for the files themselves."
    if there.others and all(path.casefold().endswith(_TEXTS) for path in there.others):
        return f"Only a text or a link was handed in ({shown(there.others[0])}), and no notebook."
    return ""


def _nothing(there: Folder) -> str:
    there_are = f"; there is {', '.join(map(shown, there.others[:3]))}" if there.others else ""
    return f"there is neither a notebook of the lab nor an engine.py in it{there_are}"


def _unpacked(folder: Path, refused: list[str], found: _Findings) -> None:
    lines = [shown(line, 300) for line in [*_note(folder).get("refusals", []), *refused] if isinstance(line, str)]
    lines = list(dict.fromkeys(lines))
    if lines:
        more = f" And {len(lines) - 5} more." if len(lines) > 5 else ""
        found.refusals["archive"] = " ".join(lines[:5]) + more


def _text(folder: Path, key: str) -> str:
    """What `unpack` noted under this key."""
    told = _note(folder).get(key, "")
    return shown(told, 300) if isinstance(told, str) else ""


def _note(folder: Path) -> dict[str, list[object]]:
    try:
        note = json.loads(load(folder / NOTE, 100_000))
    except (Refused, ValueError, RecursionError):
        return {}
    return note if isinstance(note, dict) and isinstance(note.get("refusals", []), list) else {}


def _notebooks(there: Folder, release: Release, found: _Findings) -> tuple[list[Copy], dict[str, str]]:
    """The notebooks that can be read; and by lesson, why one that bears its name cannot."""
    books: list[Notebook] = []
    unread: dict[str, str] = {}
    refused = {path: why for path, why in there.refused.items() if sort_of(path) != "python"}
    total = kept = 0
    for path in _candidates(there, release):
        try:
            if len(books) >= limits.NOTEBOOKS or total > limits.TOTAL or kept > 4 * limits.NOTEBOOK_KEPT:
                raise Refused("was not read: there are too many notebooks, or they are too large")
            data = load(there.path(path), limits.NOTEBOOK)
            total += len(data)
            books.append(notebook(shown(path), data))
            kept += sum(len(cell.source) for cell in books[-1].cells)
        except Unreachable as why:
            there.unreadable[path] = str(why)
        except Refused as why:
            if sort_of(path) == "notebook" or lesson_named(path, release):  # another JSON file is no notebook
                refused[path] = str(why)
    copies, repairs = matched(books, release)
    found.repairs += repairs
    for copy in copies:
        found.repairs += [f"{copy.book.path} {note}." for note in copy.book.notes]
    there_are = {copy.lesson.stem for copy in copies if copy.lesson}
    for path, reason in refused.items():
        lesson = lesson_named(path, release)
        if lesson and lesson.stem not in there_are:
            unread[lesson.stem] = f"{shown(path)} {reason}"
        elif len(found.refusals) < 20:
            found.refusals[f"notebook {shown(path)}"] = reason
    return copies, unread


def _candidates(there: Folder, release: Release) -> list[str]:
    """The files that are notebooks by their names, or that may be: JSON, or called like a notebook of the lab."""
    found = [path for path in there.files if sort_of(path) in ("notebook", "json")]
    return found + [path for path in there.others if lesson_named(path, release) and not is_archive(path)]


def _file(there: Folder, found: _Findings) -> EngineFile | None:
    path, said = find(there)
    if not path:
        return None
    found.repairs += [said] if said else []
    try:
        if path in there.refused:
            raise Refused(there.refused[path])
        file = engine_file(shown(path), load(there.files[path], limits.ENGINE))
    except Unreachable as why:
        there.unreadable[path] = str(why)
        return None
    except Refused as why:
        found.refusals[shown(path)] = str(why)
        return None
    found.repairs += [f"{file.path} {note}." for note in file.notes]
    return file


def _look_at_cells(copies: Sequence[Copy], release: Release, found: _Findings) -> None:
    for order, (copy, cell) in enumerate((its, cell) for its in copies for cell in its.book.cells):
        its = release.owners.get(cell.id)
        if its and copy.main and cell.id in its.todos:
            found.homes.setdefault(its.todos[cell.id], f"{copy.book.path}, cell {cell.number}")
        if found.code > limits.CODE * (4 if its and cell.id in its.todos else 1):
            found.repairs.append("There is more code in the notebooks than is read; not all cells were looked at.")
            continue
        where = f"{copy.book.path}, cell {cell.number}"
        methods, source = in_cell(cell, where, release)
        found.code += len(source.text) if source else 0
        for method in methods:
            way = _way(method, copy)
            if way is None:
                continue
            found.cells[method.part].append(replace(method, found=way, scope=copy.book.path, order=order))
        released = cell.tidy in release.texts
        if cell.kind == "code" and not released and (source or not _has_its_purpose(cell.id, release)):
            source = source or _readable(cell.source, where, bool(methods), found)
            found.code += len(cell.source)
            names = copy.lesson.names if copy.lesson else frozenset()
            if source:
                owners = {method.part.partition(".")[0] for method in methods}
                found.pool.add(source, where, copy.book.path, {*names, *METHODS, *owners})


def _way(method: Method, copy: Copy) -> int | None:
    """How sure it is that this is the TODO's function; None where it is another one."""
    if copy.main:
        at_home = copy.lesson is not None and method.part in copy.lesson.todos.values()
        return method.found if method.found != BY_NAME or at_home else None
    return BY_COPY if method.found in (BY_ID, BY_MARK) else None


def _has_its_purpose(id_: str, release: Release) -> bool:
    """Is it a cell for a question or a prediction?"""
    lesson = release.owners.get(id_)
    return lesson is not None and (id_ in lesson.questions.values() or any(box.cell == id_ for box in lesson.boxes))


def _readable(text: str, where: str, is_todo: bool, found: _Findings) -> Source | None:
    try:
        return readable(text)
    except Unreadable as error:
        if error.newer and not is_todo:
            found.newer.append(
                NewerCell(where, str(error), frozenset(filter(None, itertools.chain(*_DEFINED.findall(text)))))
            )
        return None


def _needs_newer(number: int, choices: dict[str, Choice], found: _Findings) -> NewerCell | None:
    """The cell with a newer syntax that this TODO needs something of."""
    for part in all_todos()[number].parts:
        method = choices[part.function].method
        if method and method.node and choices[part.function].written:
            names = needs([method.node]).all
            if cell := next((cell for cell in found.newer if cell.names & names), None):
                return cell
    return None


def _tell_missing(copies: Sequence[Copy], unread: dict[str, str], release: Release, found: _Findings) -> None:
    there_are = {copy.lesson.stem for copy in copies if copy.lesson}
    for stem in release.lessons:
        if stem not in there_are:
            found.refusals[f"notebook {stem}"] = unread.get(stem, "it is not in what was handed in")


def _tell_choices(
    choices: dict[str, Choice],
    copies: Sequence[Copy],
    file: EngineFile | None,
    files_only: bool,
    release: Release,
    found: _Findings,
) -> None:
    """Say what was chosen where it is not plain, and refuse what cannot be used."""
    for chosen in choices.values():
        found.repairs += chosen.said
        if chosen.method and not chosen.refused:
            number = PARTS[chosen.method.part]
            found.repairs += [f"TODO {number} in {chosen.method.where}: {note}." for note in chosen.method.notes]
    from_file = [
        number
        for number, todo in all_todos().items()
        if any(choices[part.function].in_file and choices[part.function].written for part in todo.parts)
    ]
    if file and from_file and not files_only:
        told = ", ".join(map(str, sorted(from_file)))
        found.repairs.append(f"TODO {told}: written in {file.path} and not in the notebooks, so the file counts.")
        if changed_outside(file, PARTS):
            found.repairs.append(f"{file.path} is changed outside of the TODOs, too; that counts with them.")
    if file and file.why and files_only:
        found.refusals["whole engine"] = f"{file.path} {file.why}, so it does not run"
        if file.newer and file.base is None:  # what the TODOs need of the rest is not known, either
            for number in all_todos():
                _needs_a_newer_python(number, f"{file.path} {file.why}", found)
    for number, todo in all_todos().items():
        parts = [part.function for part in todo.parts]
        bad = next((choices[part].method for part in parts if choices[part].refused), None)
        missing = [part for part in parts if choices[part].method is None]
        if bad is not None:
            found.refusals[f"TODO {number}"] = f"{bad.part} in {bad.where} {bad.why}"
            if bad.newer:
                _needs_a_newer_python(number, found.refusals[f"TODO {number}"], found)
        elif len(missing) == len(parts) and (copies or file):
            found.refusals[f"TODO {number}"] = _why_missing(missing[0], file, files_only, release, found)
        elif cell := _needs_newer(number, choices, found):
            _needs_a_newer_python(number, f"it needs what is defined in {cell.where}, which {cell.why}", found)
        elif missing and any(choices[part].written for part in parts) and not files_only:
            found.repairs.append(
                f"TODO {number}: {', '.join(missing)} is nowhere to be found, and counts as unwritten."
            )


def _needs_a_newer_python(number: int, why: str, found: _Findings) -> None:
    found.refusals.setdefault(f"TODO {number}", why)
    found.ungraded.setdefault(f"TODO {number}", f"{why}. {_NEWER}")
    found.ungraded.setdefault("whole engine", f"it needs TODO {number}")


def _why_missing(part: str, file: EngineFile | None, files_only: bool, release: Release, found: _Findings) -> str:
    if files_only:
        return f"{file.path} has no {part}" if file else "there is no engine.py"
    stems = [stem for stem, lesson in release.lessons.items() if part in lesson.todos.values()]
    for stem in stems:
        if why := found.refusals.get(f"notebook {stem}"):
            return f"the notebook {stem} is needed for it, and {why}"
    name = part.rpartition(".")[2]
    if home := found.homes.get(part):
        return f"there is no function `{name}` in its cell ({home}), nor under `@todo({PARTS[part]})` in any other"
    return f"its cell is not in {' or '.join(stems)} any more, and no other has a function `{name}` for it"


def _origin(number: int, choices: dict[str, Choice]) -> str:
    """Where a TODO was taken from, for people."""
    places: dict[str, list[str]] = {}
    for part in all_todos()[number].parts:
        chosen = choices[part.function]
        if chosen.written and chosen.method:
            file, _, place = chosen.method.where.rpartition(", ")
            places.setdefault(file, []).append(place)
    return "; ".join(f"{file}, {_joined(list(dict.fromkeys(its)))}" for file, its in places.items())


def _joined(places: list[str]) -> str:
    """["cell 6", "cell 8"] -> "cells 6 and 8"."""
    if len(places) == 1:
        return places[0]
    word = places[0].partition(" ")[0]
    numbers = [place.partition(" ")[2] for place in places]
    return f"{word}s {', '.join(numbers[:-1])} and {numbers[-1]}"
