"""Which student a collected file belongs to: by the fields that an LMS puts into names, or by folders.

A name that an LMS makes begins with its own fields and ends with what the student called the file. So each form is
matched from the left and ends at the first place that fits: what a student writes into a name comes later.

    Moodle       Ada Lovelace_4711_assignsubmission_file_03_determinism.ipynb     or a folder ..._assignsubmission_file_
    Canvas       lovelaceada_LATE_4711_98765_03_determinism.ipynb                 anonymous: anon_aB3xK_98765_...
    Gradescope   submission_4711/03_determinism.ipynb                             whose: in submission_metadata.yml
    Blackboard   Lab 1_ada_attempt_2026-11-29-21-14-05_03_determinism.ipynb       and ..._2026-11-29-21-14-05.txt
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from grader.handin.containers import is_archive, without_ending
from grader.handin.inside.document import Refused
from grader.handin.inside.names import sort_of
from grader.handin.release import stems

_MOODLE = re.compile(r"(?P<who>.+?_\d+)_assignsubmission_(?P<kind>[a-z0-9]+)(?:_(?P<rest>.*))?", re.DOTALL)
_END = r"_(?:\d+_(?P<rest>.+)|(?P<text>text|link)\.html)"
_ANONYMOUS = re.compile(r"(?P<late>LATE_)?(?P<who>anon(?:ymous)?_[A-Za-z0-9]+)" + _END, re.DOTALL)
_CANVAS = re.compile(r"(?P<name>.*?)_(?P<late>LATE_)?(?P<user>\d+)" + _END, re.DOTALL)
_BLACKBOARD = re.compile(
    r"(?P<who>.+?)_attempt_(?P<when>\d{4}(?:-\d\d){5})(?:_(?P<rest>.+)|(?P<text>\.txt))", re.DOTALL
)
_NO_ONE = re.compile(r"(?:.*_)?(?:anon|anonym\w*)", re.IGNORECASE)  # a name that all students share
_LAB = re.compile(r"lab-01-durable-workflow-engine(-main|-master)?|durable_lab", re.IGNORECASE)
_OURS = frozenset({"solution", "grader", "tests", "skeleton"})  # other folders of the whole repository
_AROUND = re.compile(  # names of folders that are not the name of a student
    r"users?|home|root|jovyan|documents?|desktop|downloads?|onedrive.*|tmp|content|work|students?|class|course"
    r"|submitted|submissions?|hand-?ins?|collected|all|export(ed)?|assignment_\d+_export|(new|untitled) folder"
    r"|lab([-_ ]?0?1)?|notebooks|solution|" + _LAB.pattern,
    re.IGNORECASE,
)
_TAG = re.compile(r"(copy of|copy|old|new|my|final|backup|done|solved|v?\d{0,2})", re.IGNORECASE)
_MANY = 3


@dataclass(frozen=True)
class Place:
    """Where an entry goes: its student, its path within their folder (empty for the folder itself)."""

    student: str
    path: tuple[str, ...] = ()
    late: str = ""
    text: str = ""  # "a text" or "a link": the LMS stored it itself, and no file was handed in
    when: str = ""  # the time of its attempt


Form = Callable[[str], Place | None]


def _moodle(name: str) -> Place | None:
    if not (found := _MOODLE.fullmatch(name)):
        return None
    path = (found["rest"],) if found["rest"] else ()
    if found["kind"] == "file":
        return Place(found["who"], path)
    return Place(found["who"], (found["kind"], *path), text="a text")


def _canvas(name: str) -> Place | None:
    if found := _ANONYMOUS.fullmatch(name):
        who = found["who"]
    elif found := _CANVAS.fullmatch(name):
        who = f"{found['name']}_{found['user']}"
    else:
        return None
    late = "Canvas marks it as handed in late." if found["late"] else ""
    return Place(who, (found["rest"],) if found["rest"] else (), late, f"a {found['text']}" if found["text"] else "")


def _blackboard(name: str) -> Place | None:
    if not (found := _BLACKBOARD.fullmatch(name)):
        return None
    path = (found["rest"],) if found["rest"] else ()
    return Place(found["who"], path, text="a text" if found["text"] else "", when=found["when"])


def student_of(name: str) -> str:
    """The student that an LMS names at the beginning of this name; "" if it is no LMS's name."""
    place = _moodle(name) or _blackboard(name) or _canvas(name)
    return place.student if place else ""


@dataclass(frozen=True)
class Name:
    """An entry's path: as it is written to disk, and as the container has it (two names may be written alike)."""

    parts: tuple[str, ...]
    raw: tuple[str, ...]
    is_file: bool

    @property
    def is_work(self) -> bool:
        """Whether it is a notebook or an engine."""
        return self.is_file and (sort_of(self.parts[-1]) == "notebook" or self.parts[-1] == "engine.py")

    @property
    def is_packed(self) -> bool:
        return self.is_file and is_archive(self.parts[-1])

    def below(self) -> Name:
        return Name(self.parts[1:], self.raw[1:], self.is_file)


@dataclass(frozen=True)
class Layout:
    """How a container is laid out. `wrapper`: the folders around all; `one`: the only student, or ""."""

    wrapper: tuple[str, ...]
    one: str
    form: Form | None = None
    called: dict[str, str] = field(default_factory=dict)  # the name for a student in paths -> a better one
    latest: dict[str, str] = field(default_factory=dict)  # by the form's name: the attempt that counts

    def place(self, name: Name) -> Place | None:
        """An entry's student and path; None if no student has it. Raises Refused if a later attempt counts."""
        parts, raw, deep = name.parts, name.raw, len(self.wrapper)
        inside = parts[:deep] == self.wrapper
        if self.one:
            return Place(self.one, parts[deep:] if inside else parts)
        if not inside or len(parts) <= deep:
            return None
        top, below = parts[deep], parts[deep + 1 :]
        if self.form:
            found = self.form(top)
            if not found:
                return None
            if found.when and found.when != self.latest[found.student]:
                raise Refused(f"it is of another attempt; the one of {self.latest[found.student]} counts")
            return replace(found, student=self.called.get(found.student, found.student), path=(*found.path, *below))
        if top.startswith("."):
            return None
        if below or not name.is_file:
            return Place(self.called.get(raw[deep], raw[deep]), below)
        return Place(without_ending(raw[deep]), (top,)) if is_archive(top) else None


GRADESCOPE = "submission_metadata.yml"
_BLOCK = re.compile(r"^(submission_\d+):[ \t]*\n((?:[ \t].*\n|-.*\n)*)", re.MULTILINE)
_SUBMITTERS = re.compile(r"^ *:submitters:\n((?: *- .*\n|    .*\n)*)", re.MULTILINE)
_SUBMITTER = re.compile(r"^[ -]*:name: *(.+?) *$", re.MULTILINE)


def named_by_gradescope(metadata: str) -> dict[str, str]:
    """submission_4711 -> its students, from Gradescope's own file; with the number if two have the same name."""
    found: dict[str, str] = {}
    for block in _BLOCK.finditer(metadata.replace("\r\n", "\n") + "\n"):
        submitters = _SUBMITTERS.search(block[2])
        names = [_unquoted(name) for name in _SUBMITTER.findall(submitters[1] if submitters else "")]
        if names:
            found[block[1]] = " and ".join(names)
    alike = Counter(found.values())
    return {key: name if alike[name] == 1 else f"{name} {key}" for key, name in found.items()}


def _unquoted(text: str) -> str:
    if text.startswith("'"):
        return text.strip("'").replace("''", "'")
    return text.strip('"').replace('\\"', '"')


def layout(names: Iterable[Name], called: str) -> Layout:
    """The layout of a container with these entries. `called` is its own name.

    Raises Refused, with a reason and what to do, if the students cannot be told apart.
    """
    here, wrapper = [name for name in names if name.parts], tuple[str, ...]()
    while True:
        if found := _lms(here, wrapper):
            return found
        folders = [name.parts[0] for name in here if len(name.parts) > 1 or not name.is_file]
        kind = _kind(here)
        if kind == "class":
            return Layout(wrapper, "")
        if kind == "one" or not folders:
            return Layout(wrapper, _only(wrapper, called))
        wrapper = (*wrapper, folders[0])
        here = [name.below() for name in here if len(name.parts) > 1]


def _only(wrapper: Sequence[str], called: str) -> str:
    """The only student's name: the first enclosing folder that may be a person's name, or the container's own name."""
    return next((name for name in wrapper if not _AROUND.fullmatch(name)), called)


def _lms(here: Sequence[Name], wrapper: tuple[str, ...]) -> Layout | None:
    """The layout of a container whose top-level names come from an LMS. Raises Refused.

    Of several forms, the one that most names fit counts; then the one whose fields end first. So a student whose files
    have names like those of another LMS changes nothing.
    """
    tops = {name.parts[0] for name in here}
    files = {name.parts[0] for name in here if name.is_file and len(name.parts) == 1}
    work = {name.parts[0] for name in here if name.is_work or name.is_packed}
    fits = []
    for form, may_be in ((_moodle, tops), (_blackboard, files), (_canvas, files)):
        found = {top: place for top in may_be if (place := form(top))}
        if form is _canvas and not any(top in work or place.text for top, place in found.items()):
            continue  # `marks_2026_11_30.csv` is no student's
        if found:
            fits.append((len(work - set(found)), sum(len(place.student) for place in found.values()), form, found))
    if not fits:
        return None
    _, _, form, found = min(fits, key=lambda fit: fit[:2])
    others = work - set(found)
    if others and len({place.student for place in found.values()}) < 2:
        raise Refused(
            f"it cannot be told whose work this is: {_some(sorted(found))} has a name as an LMS makes it, and "
            f"{_some(sorted(others))} beside it has not. Put the work of each student into a folder of their name, "
            "and try again."
        )
    if form is not _blackboard:
        return Layout(wrapper, "", form)
    return Layout(wrapper, "", form, _users(found.values()), _attempts(found.values()))


def _users(places: Iterable[Place]) -> dict[str, str]:
    """ASSIGNMENT_USER -> USER: the part that differs. Either part may contain `_`."""
    whole = sorted({place.student for place in places})
    starts = [whole[0][: i + 1] for i, letter in enumerate(whole[0]) if letter == "_"]
    cut = max((len(start) for start in starts if all(name.startswith(start) for name in whole)), default=0)
    return {name: name[cut:] for name in whole}


def _attempts(places: Iterable[Place]) -> dict[str, str]:
    """By student: the last attempt with a file, or else the last one. Raises Refused if students share a name."""
    times: dict[str, set[tuple[bool, str]]] = defaultdict(set)
    for place in places:
        times[place.student].add((not place.text, place.when))
    for name, all_times in times.items():
        if _NO_ONE.fullmatch(name) and len({when for _, when in all_times}) > 1:
            raise Refused(
                f"Blackboard has written `{name}` for every student, so they cannot be told apart. Switch anonymous "
                "grading off, and download the files again."
            )
    return {name: max(all_times)[1] for name, all_times in times.items()}


def _kind(here: Sequence[Name]) -> str:
    """The kind of these entries: a "class", the work of "one" student, or a folder "around" others. Raises Refused."""
    inside: dict[str, list[Name]] = defaultdict(list)
    for name in here:
        if len(name.parts) > 1 or not name.is_file:
            inside[name.raw[0]].append(name.below())
    loose = sorted(name.parts[0] for name in here if len(name.parts) == 1 and name.is_work)
    parts = sorted(top for top in inside if _is_part(top, inside[top]))
    others = {name.raw[0] for name in here if len(name.parts) == 1 and name.is_packed}
    others |= {top for top in inside if top not in parts and any(one.is_work or one.is_packed for one in inside[top])}
    others -= _OURS if parts else set()
    if not parts and not loose:
        alone = not others or (len(others) == 1 and others <= set(inside))
        return "around" if alone and len(inside) <= 1 else "class"
    if not others:
        _refuse_several(loose, parts)
        return "one"
    strong = len(loose) >= _MANY or len(parts) > 1
    if strong and len(others) == 1:
        return "one"
    if not strong and len(others) >= _MANY:
        return "class"
    raise Refused(
        f"it cannot be told whose work this is: {_some([*parts, *loose])} would be one student's own, and "
        f"{_some(sorted(others))} look like a student each. Put the work of each student into a folder of their name, "
        "with nothing beside these folders, and try again."
    )


def _is_part(name: str, inside: Sequence[Name]) -> bool:
    """Whether this folder is a part of the lab, and not a student of the same name."""
    if _LAB.fullmatch(name):
        return True
    direct = {sort_of(one.parts[0]) for one in inside if len(one.parts) == 1 and one.is_file}
    deeper = any(len(one.parts) > 1 and one.is_work for one in inside)
    wanted = {"lab": "python", "notebooks": "notebook"}.get(name.casefold())
    return wanted in direct and not deeper and (wanted == "notebook" or "notebook" not in direct)


def _refuse_several(loose: Sequence[str], parts: Sequence[str]) -> None:
    """Raise Refused if the files in one folder seem to belong to several students."""
    books = [name for name in loose if sort_of(name) == "notebook"]
    tags: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for name in loose:
        for stem in [*stems(), "engine"]:
            before, found, after = name.casefold().partition(stem.casefold())
            if found:
                after = re.sub(r"(\s*\(\d+\)|\.\w+)+$|[-_ ]\d+(?=\.\w+$)", "", after)
                tags[stem].add((before.strip(" _-."), after.strip(" _-.")))
    befores = [{tag for tag, _ in found if not _TAG.fullmatch(tag)} for found in tags.values()]
    afters = [frozenset(tag for _, tag in found if not _TAG.fullmatch(tag)) for found in tags.values()]
    several = any(len(found) > 1 for found in befores) or any(
        len(found) > 1 and afters.count(found) > 1 for found in afters
    )
    if several or (len(books) > 1 and not tags and not parts):
        raise Refused(
            f"it cannot be told whose work this is: the files {_some(loose)} lie side by side, and their names are not "
            "of a form that is known here (Moodle, Canvas or Blackboard). Put the work of each student into a folder "
            "of their name, and try again."
        )


def _some(names: Sequence[str]) -> str:
    shown = [f"`{name}`" for name in names[:3]] + (["more"] if len(names) > 3 else [])
    return " and ".join(shown) if len(shown) < 3 else f"{', '.join(shown[:-1])} and {shown[-1]}"
