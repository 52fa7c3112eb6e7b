"""Whose a file is, in what instructors collect: a folder for each student, or names as Moodle and Canvas make them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from grader.submission.containers import ARCHIVES, is_archive

_MOODLE = re.compile(r"(?P<who>.+_\d+_assignsubmission_[a-z]+)(?:_(?P<rest>.*))?", re.DOTALL)
_CANVAS = re.compile(r"(?P<name>[^_]+)_(?P<late>LATE_)?(?P<user>\d+)_\d+_(?P<rest>.+)", re.DOTALL)
_MANY = 3  # folders with work beside a stray notebook are students; notebooks beside folders are one student's
_WORK = frozenset({"lab", "notebooks", "durable_lab", "lab-01-durable-workflow-engine"})


@dataclass(frozen=True)
class Place:
    """Where an entry goes: its student, its path within their folder (empty for the folder itself)."""

    student: str
    path: tuple[str, ...] = ()
    late: str = ""


@dataclass(frozen=True)
class Layout:
    """How a container is laid out. `wrapper`: the folders around all; `one`: the only student, or ""."""

    wrapper: tuple[str, ...]
    one: str

    def place(self, parts: Sequence[str], is_file: bool) -> Place | None:
        """Whose this is; None where it is nobody's."""
        if tuple(parts[: len(self.wrapper)]) != self.wrapper:
            return Place(self.one, tuple(parts)) if self.one else None
        parts = parts[len(self.wrapper) :]
        if self.one:
            return Place(self.one, tuple(parts))
        if not parts:
            return None
        top, below = parts[0], tuple(parts[1:])
        if top.startswith("."):
            return None
        if moodle := _MOODLE.fullmatch(top):
            rest = moodle["rest"] or ""
            return Place(moodle["who"], (*([rest] if rest else []), *below))
        if (canvas := _CANVAS.fullmatch(top)) and not below and is_file:
            late = "Canvas marks it as handed in late." if canvas["late"] else ""
            return Place(f"{canvas['name']}_{canvas['user']}", (canvas["rest"],), late)
        if below or not is_file:
            return Place(top, below)
        return Place(without_ending(top), (top,)) if is_archive(top) else None


def layout(names: Sequence[tuple[Sequence[str], bool]], called: str) -> Layout:
    """The layout of a container with these entries (path, is it a file). `called`: its own name, for one student."""
    wrapper: list[str] = []
    here = [(tuple(parts), is_file) for parts, is_file in names if parts]
    while True:
        tops = {parts[0] for parts, _ in here}
        loose = all(len(parts) == 1 and is_file for parts, is_file in here)
        named = any(is_archive(top) or _MOODLE.fullmatch(top) or _CANVAS.fullmatch(top) for top in tops)
        if not tops or _is_work(here) or (loose and not named):
            return Layout(tuple(wrapper), called)
        if named or len(tops) > 1:
            return Layout(tuple(wrapper), "")
        top = next(iter(tops))
        wrapper.append(top)
        here = [(parts[1:], is_file) for parts, is_file in here if len(parts) > 1]


def _is_work(here: Sequence[tuple[tuple[str, ...], bool]]) -> bool:
    """Do a student's own files lie here, and not a folder for each student?"""
    if any(parts[0] in _WORK for parts, is_file in here if len(parts) > 1 or not is_file):
        return True
    ours = [parts[0] for parts, is_file in here if len(parts) == 1 and is_file and _is_ours(parts[0])]
    ours = [name for name in ours if not _CANVAS.fullmatch(name) and not _MOODLE.fullmatch(name)]
    folders = {parts[0] for parts, is_file in here if len(parts) > 1 and is_file and _is_ours(parts[-1])}
    return len(ours) >= _MANY or (bool(ours) and len(folders) < _MANY)


def _is_ours(name: str) -> bool:
    return name.casefold().endswith(".ipynb") or name == "engine.py"


def without_ending(name: str) -> str:
    """The name of an archive without `.tar.gz` and the like."""
    ending = max((ending for ending in ARCHIVES if name.casefold().endswith(ending)), key=len, default="")
    return name[: len(name) - len(ending)] or name
