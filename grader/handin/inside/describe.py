"""From the bytes of a submission to the document: what counts, what was put right, what was refused."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from grader.handin.inside.answers import answered, predicted, too_new
from grader.handin.inside.assemble import Builder, Engines
from grader.handin.inside.cells import Content, contents
from grader.handin.inside.choose import Choice, choice
from grader.handin.inside.definitions import Pool
from grader.handin.inside.document import Function, Helper, Notebook, Refused, Submission
from grader.handin.inside.engine_file import EngineFile, changed_outside, engine_file
from grader.handin.inside.lab import Lab
from grader.handin.inside.match import lesson_named, matched, with_cells
from grader.handin.inside.methods import Method
from grader.handin.inside.names import shown, sort_of
from grader.handin.inside.notebook import notebook
from grader.handin.inside.syntax import MOST
from grader.handin.inside.text import decode

_NEWER = "Grade this submission with a newer Python"
_DEFINED = re.compile(r"^(?:(?:async[ \t]+)?(?:def|class)|type)[ \t]+(\w+)|^(\w+)[ \t]*[:=]", re.MULTILINE)
_REFUSALS = 20  # of notebooks that are not the lab's


@dataclass(frozen=True)
class Given:
    """The files of a submission, with their paths. A string in the place of the bytes says why a file was not read."""

    student: str
    notebooks: Iterable[tuple[str, bytes | str]] = ()  # that are notebooks, or may be
    engine: str = ""  # the path of the engine's file; "" if there is none
    python: Mapping[str, bytes | str] = field(default_factory=dict)  # the engine, and the other files of lab/
    files_only: bool = False  # lab/engine.py counts even if there are notebooks
    late: str = ""
    repairs: Sequence[str] = ()  # what is to be said of the folder
    refusals: Mapping[str, str] = field(default_factory=dict)  # what was left out before
    nothing: str = ""  # what is said if there is neither a notebook nor an engine
    no_mark: str = ""  # why there can be no mark then, which is not 0
    unopened: bool = False  # something in it is no file, so there can be no mark if nothing else can be read


@dataclass
class _Findings:
    """What is found on the way."""

    lab: Lab
    files_only: bool
    repairs: list[str]
    refusals: dict[str, str]
    notebooks: list[Notebook] = field(default_factory=list)
    unread: dict[str, str] = field(default_factory=dict)  # lesson -> why a file of its name cannot be read
    contents: list[Content] = field(default_factory=list)
    file: EngineFile | None = None
    choices: dict[str, Choice] = field(default_factory=dict)
    ungraded: dict[str, str] = field(default_factory=dict)  # part of the rubric -> why it needs a newer Python

    @property
    def nothing(self) -> bool:
        """Whether there is neither a notebook nor an engine."""
        return not self.notebooks and not self.unread and self.file is None


def describe(given: Given, lab: Lab) -> Submission:
    """The document on these files. Whatever is in them, it has a reason for what cannot be used."""
    found = _Findings(lab, given.files_only, list(given.repairs), dict(given.refusals))
    _read_notebooks(given, found)
    _read_engine(given, found)
    known = found.unread or any(notebook.lesson for notebook in found.notebooks)
    found.files_only = given.files_only or not (known or (found.notebooks and found.file is None))
    found.contents = contents(found.notebooks, lab)
    _choose(found)
    if not found.files_only:
        _tell_missing(found)
    _tell_choices(found)
    refused = [number for number in lab.todos if f"TODO {number}" in found.refusals]
    made = Builder(lab, found.choices, _pool(found), found.file, found.files_only).engines(refused)
    _drop_large(made, found)
    lessons = answered(found.contents, lab)
    found.refusals |= {f"question {name}": reason for name, reason in lessons.refused.items()}
    found.ungraded |= {part: f"{why}. {_NEWER}" for part, why in too_new(found.contents, lab).items()}
    if found.nothing:
        found.refusals.setdefault("submission", given.nothing)
    stubs = frozenset(n for n in lab.todos if n not in made.alone and f"TODO {n}" not in found.refusals)
    unmarked = found.nothing or (given.unopened and not found.notebooks and found.file is None)
    return Submission(
        given.student,
        None if found.nothing else made.whole,
        made.alone,
        frozenset() if found.nothing else stubs,
        _functions(found, made),
        lessons.given,
        predicted(found.contents, lab),
        tuple(dict.fromkeys([*found.repairs, *made.said, *lessons.said])),
        found.refusals,
        given.late,
        found.ungraded,
        given.no_mark if unmarked else "",
        notebooks=with_cells(found.notebooks, found.contents, lab),
        unread=found.unread,
        files=_files(given),
    )


def _read_notebooks(given: Given, found: _Findings) -> None:
    """The notebooks that can be read; and by lesson, why one of its name cannot."""
    books: list[Notebook] = []
    refused: dict[str, str] = {}
    for path, data in given.notebooks:
        try:
            books.append(notebook(shown(path), _bytes(data)))
        except Refused as why:
            # Another JSON file is no notebook; what was not opened may have been one.
            if isinstance(data, str) or sort_of(path) == "notebook" or lesson_named(path, found.lab):
                refused[path] = str(why)
    found.notebooks, repairs = matched(books, found.lab)
    found.repairs += repairs
    found.repairs += [f"{book.path} {note}." for book in found.notebooks for note in book.notes]
    there_are = {book.lesson for book in found.notebooks}
    for path, reason in refused.items():
        lesson = lesson_named(path, found.lab)
        if lesson and lesson not in there_are:
            found.unread[lesson] = f"{shown(path)} {reason}"
        elif len(found.refusals) < _REFUSALS:
            found.refusals[f"notebook {shown(path)}"] = reason


def _read_engine(given: Given, found: _Findings) -> None:
    if not given.engine:
        return
    path = shown(given.engine)
    try:
        found.file = engine_file(path, _bytes(given.python[given.engine]), found.lab)
    except Refused as why:
        found.refusals[path] = str(why)
        return
    found.repairs += [f"{path} {note}." for note in found.file.notes]


def _bytes(data: bytes | str) -> bytes:
    """The file's content. Raises Refused."""
    if isinstance(data, str):
        raise Refused(data)
    return data


def _files(given: Given) -> dict[str, str]:
    """The Python files as text, by path."""
    made = {}
    for path, data in given.python.items():
        try:
            made[path] = decode(_bytes(data), cookie=True)[0]
        except Refused:
            continue
    return made


def _choose(found: _Findings) -> None:
    """Choose for each function of a TODO the text that counts."""
    methods: dict[str, list[Method]] = {part: [] for part in found.lab.parts}
    for content in found.contents if not found.files_only else ():
        for method in content.methods:
            methods[method.part].append(method)
    for part, number in found.lab.parts.items():
        in_file = found.file.methods.get(part) if found.file else None
        found.choices[part] = choice(f"TODO {number} ({part})", methods[part], in_file)


def _own_code(found: _Findings) -> list[Content]:
    """The code cells of the student's own, which may define what a TODO needs."""
    if found.files_only:
        return []
    code = [content for content in found.contents if content.cell.kind == "code" and not content.released]
    answers = {*found.lab.asked, *found.lab.with_boxes}
    return [content for content in code if content.methods or content.cell.id not in answers]


def _pool(found: _Findings) -> Pool:
    """The definitions in the student's own cells."""
    pool, lab = Pool(), found.lab
    for content in _own_code(found):
        if content.source:
            lesson = lab.lessons.get(content.notebook.lesson)
            owners = {method.part.partition(".")[0] for method in content.methods}
            pool.add(content.source, content.place, {*(lesson.names if lesson else ()), *lab.methods, *owners})
    return pool


def _drop_large(made: Engines, found: _Findings) -> None:
    """Drop the engines that are longer than one may be."""
    why = f"the engine that is made with it has more than {MOST:,} characters"
    for number in [number for number, text in made.alone.items() if len(text) > MOST]:
        del made.alone[number]
        found.refusals[f"TODO {number}"] = why
    if made.whole and len(made.whole) > MOST:
        made.whole = None
        found.refusals["whole engine"] = f"it has more than {MOST:,} characters"


def _functions(found: _Findings, made: Engines) -> tuple[Function, ...]:
    """What counts for each function that is written."""
    return tuple(
        Function(
            part,
            number,
            method.place,
            method.found,
            method.text,
            tuple(Helper(helper.name, helper.place) for helper in made.helpers.get(part, ())),
        )
        for part, number in found.lab.parts.items()
        if (method := found.choices[part].written)
    )


# ------------------------------------------------------------ what is said


def _tell_missing(found: _Findings) -> None:
    there_are = {book.lesson for book in found.notebooks}
    for stem in found.lab.lessons:
        if stem not in there_are:
            found.refusals[f"notebook {stem}"] = found.unread.get(stem, "it is not in what was handed in")


def _tell_choices(found: _Findings) -> None:
    """Say what was chosen if that is not obvious, and refuse what cannot be used."""
    for part, chosen in found.choices.items():
        found.repairs += chosen.said
        if chosen.method and not chosen.refused:
            where = f"TODO {found.lab.parts[part]} in {chosen.method.place}"
            found.repairs += [f"{where}: {note}." for note in chosen.method.notes]
    _tell_of_file(found)
    for number, parts in found.lab.todos.items():
        chosen_ones = [found.choices[part] for part in parts]
        bad = next((one.method for one in chosen_ones if one.method and one.refused), None)
        missing = [part for part in parts if found.choices[part].method is None]
        if bad is not None:
            found.refusals[f"TODO {number}"] = f"{bad.part} in {bad.place} {bad.why}"
            if bad.newer:
                _needs_a_newer_python(number, found.refusals[f"TODO {number}"], found)
        elif len(missing) == len(parts) and (found.notebooks or found.file):
            found.refusals[f"TODO {number}"] = _why_missing(missing[0], found)
        elif cell := _newer_cell(chosen_ones, found):
            why = f"it needs what is defined in {cell.place}, which {cell.error}"
            _needs_a_newer_python(number, why, found)
        elif missing and any(one.written for one in chosen_ones) and not found.files_only:
            said = f"TODO {number}: {', '.join(missing)} was not found, and counts as unwritten."
            found.repairs.append(said)


def _tell_of_file(found: _Findings) -> None:
    file, lab = found.file, found.lab
    if file is None:
        return
    in_file = sorted({lab.parts[part] for part, one in found.choices.items() if one.in_file and one.written})
    if in_file and not found.files_only:
        told = ", ".join(map(str, in_file))
        found.repairs.append(f"TODO {told}: written in {file.path} and not in the notebooks, so the file counts.")
        if changed_outside(file, lab):
            found.repairs.append(f"{file.path} is changed outside of the TODOs, too; that counts with them.")
    if file.why and found.files_only:
        found.refusals["whole engine"] = f"{file.path} {file.why}, so it does not run"
        if file.newer and file.base is None:  # what the TODOs need of the rest is not known, either
            for number in lab.todos:
                _needs_a_newer_python(number, f"{file.path} {file.why}", found)


def _newer_cell(choices: Sequence[Choice], found: _Findings) -> Content | None:
    """The student's own cell with a newer syntax that a TODO needs something of."""
    cells = [
        (content, frozenset(filter(None, itertools.chain(*_DEFINED.findall(content.cell.source)))))
        for content in _own_code(found)
        if content.error and content.error.newer and not content.methods
    ]
    for method in (one.written for one in choices):
        if cells and method:
            names = method.needs.all
            if content := next((content for content, its in cells if its & names), None):
                return content
    return None


def _needs_a_newer_python(number: int, why: str, found: _Findings) -> None:
    found.refusals.setdefault(f"TODO {number}", why)
    found.ungraded.setdefault(f"TODO {number}", f"{why}. {_NEWER}")
    found.ungraded.setdefault("whole engine", f"it needs TODO {number}")


def _why_missing(part: str, found: _Findings) -> str:
    if found.files_only:
        return f"{found.file.path} has no {part}" if found.file else "there is no engine.py"
    stems = [stem for stem, lesson in found.lab.lessons.items() if part in lesson.todos.values()]
    for stem in stems:
        if why := found.refusals.get(f"notebook {stem}"):
            return f"the notebook {stem} is needed for it, and {why}"
    name = part.rpartition(".")[2]
    for content in found.contents:
        lesson = found.lab.owners.get(content.cell.id)
        if lesson and content.notebook.main and lesson.todos.get(content.cell.id) == part:
            todo = f"`@todo({found.lab.parts[part]})`"
            return f"there is no function `{name}` in its cell ({content.place}), nor under {todo} in any other"
    return f"its cell is not in {' or '.join(stems)} any more, and no other has a function `{name}` for it"
