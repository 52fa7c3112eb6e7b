"""A hand-in as nbgrader can take it: the released notebooks with the student's own text in them, and nothing else.

    submitted/ana/lab-01/   what nbgrader and Formgrader see: made here
    originals/ana/lab-01/   what was handed in, byte for byte: moved here
    originals/ana/lab-01.json   which files were made, so that a newer hand-in is told from what we made

nbgrader calls `before_autograde` for each hand-in, from its command as from Formgrader. So whatever stands in
`submitted/`, and whoever asks: a corrupt notebook, a copied graded cell, a link to a file of the instructor's never get
further.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from grader.nbgrader_course.repair import repaired
from grader.report import Report

Grade = Callable[[Path, str], Report]
_Key = tuple[str, str]  # assignment, student
_given: dict[_Key, Report] = {}
_reports: dict[_Key, Report | str] = {}  # of the hand-ins that are at work; or why there is none


def report_of(assignment: str, student: str) -> Report:
    """The report that is put into nbgrader now. Raises LookupError, with the reason, where there is none."""
    found = _reports.get((assignment, student), "it was not prepared")
    if isinstance(found, str):
        raise LookupError(f"there is no report on {student}: {found}")
    return found


def give_report(assignment: str, student: str, report: Report) -> None:
    """Let nbgrader's next autograde of this hand-in use this report."""
    _given[assignment, student] = report


def before_autograde(*, assignment: str, student: str, notebooks: list[str]) -> None:
    """nbgrader's hook: prepare the hand-in that these notebooks are in, and have its report at hand.

    nbgrader stands in the course's folder then. `student` may be a pattern; the list is changed in place.
    """
    submitted = Path(notebooks[0]).parent
    course, student, assignment = submitted.parents[2], submitted.parent.name, submitted.name
    notebooks.clear()  # whatever happens below, nothing that was handed in is opened
    _reports.pop((assignment, student), "")
    original = prepare(course, student, assignment)
    notebooks += sorted(str(path) for path in submitted.glob("*.ipynb"))
    key = assignment, student
    _reports[key] = _given.pop(key) if key in _given else _graded(original, student)


def _graded(original: Path, student: str) -> Report | str:
    from grader.marks import grade  # the checker is started only where marks are asked for

    try:
        return grade(original, student)
    except Exception as error:  # nbgrader would pass it over; it is raised where the report is asked for
        return f"{type(error).__name__}: {error}"


def after_autograde(*, assignment: str, student: str, notebooks: list[str]) -> None:
    """nbgrader's hook: forget the report."""
    for path in notebooks[:1]:
        _reports.pop((Path(path).parent.name, Path(path).parent.parent.name), "")


def original_of(course: Path, student: str, assignment: str) -> Path:
    """Where what this student handed in stands now."""
    submitted, original = _places(course, student, assignment)
    return original if _is_ours(submitted, original) or not submitted.exists() else submitted


def place(course: Path, student: str, assignment: str, folder: Path) -> None:
    """Move what was collected to where it is handed in, unless just this was handed in before. Raises OSError."""
    submitted, original = _places(course, student, assignment)
    if _is_ours(submitted, original) and _digest(folder) == _digest(original) != "":
        return
    submitted.parent.mkdir(parents=True, exist_ok=True)
    remove(submitted)
    os.replace(folder, submitted)  # noqa: PTH105 - the name says what it does


def prepare(course: Path, student: str, assignment: str) -> Path:
    """Put the hand-in right, if that is not done. Returns the folder with what was handed in. Raises OSError.

    It can be killed at any moment: what was handed in is moved before anything takes its place.
    """
    submitted, original = _places(course, student, assignment)
    if _is_ours(submitted, original):
        return original
    original.parent.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(submitted):
        remove(original)
        os.replace(submitted, original)  # noqa: PTH105 - the name says what it does
    with tempfile.TemporaryDirectory(dir=original.parent, prefix=".made-") as folder:
        made = Path(folder, assignment)
        made.mkdir()
        for path, text in repaired(original, course / "release" / assignment).items():
            (made / path).parent.mkdir(exist_ok=True)
            (made / path).write_text(text, encoding="utf-8")
        _record(original).write_text(json.dumps({"made": _digest(made)}) + "\n", encoding="utf-8")
        submitted.parent.mkdir(parents=True, exist_ok=True)
        os.replace(made, submitted)  # noqa: PTH105
    return original


def _places(course: Path, student: str, assignment: str) -> tuple[Path, Path]:
    return course / "submitted" / student / assignment, course / "originals" / student / assignment


def _record(original: Path) -> Path:
    return original.with_name(f"{original.name}.json")


def _is_ours(submitted: Path, original: Path) -> bool:
    """Whether this folder was made here, from what stands in `original`."""
    try:
        made = json.loads(_record(original).read_text(encoding="utf-8"))["made"]
    except (OSError, ValueError, LookupError, TypeError):
        return False
    return original.is_dir() and submitted.is_dir() and not submitted.is_symlink() and _digest(submitted) == made


def _digest(folder: Path) -> str:
    """The same for the same files. What is no ordinary file, or is big, is none of ours."""
    made = hashlib.sha256()
    for root, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            path = Path(root, name)
            if path.is_symlink() or not path.is_file() or path.stat().st_size > 20_000_000:
                return ""
            made.update(f"{path.relative_to(folder)}\0".encode("utf-8", "replace"))
            made.update(hashlib.sha256(path.read_bytes()).digest())
    return made.hexdigest()


def remove(path: Path) -> None:
    """Remove a file, a link or a folder, if it is there. Raises OSError."""
    if path.is_dir() and not path.is_symlink():
        for root, _, _ in os.walk(path):
            os.chmod(root, 0o700)  # noqa: PTH101 - a folder that its owner closed
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
