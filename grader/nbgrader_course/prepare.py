"""A submission as nbgrader can take it: the released notebooks with the student's own text in them, and nothing else.

    submitted/ana/lab-01/   what nbgrader and Formgrader see: made here
    originals/ana/lab-01/   what was handed in, byte for byte: moved here
    originals/ana/lab-01.json   which files were made, to tell a newer submission from them; and the student's engine
    originals/ana/lab-01.report.json   the report, while nbgrader puts it into the notebooks and the gradebook

nbgrader calls `before_autograde` for each submission, from its command as from Formgrader. So a corrupt notebook, a
copied graded cell or a link to a file of the instructor's never gets further, whatever stands in `submitted/`.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from grader.nbgrader_course.repair import described, repaired
from grader.report import Report

GIVEN, AT_WORK = "given", "report"


def give_report(course: Path, student: str, assignment: str, report: Report | str) -> None:
    """Store the report that nbgrader's next autograde of this submission uses; or the reason why there is none."""
    _write_report(_places(course, student, assignment)[1], GIVEN, report)


def report_of(course: Path, student: str, assignment: str) -> Report:
    """The report that is being put into nbgrader. Raises LookupError, with the reason, if there is none."""
    made = _made(_places(course, student, assignment)[1], AT_WORK)
    if "report" not in made:
        raise LookupError(f"there is no report on {student}: {made.get('why', 'it was not prepared')}")
    return Report.from_json(made["report"])


def engine_of(course: Path, student: str, assignment: str) -> str | None:
    """The student's whole engine, as it was found when the submission was prepared."""
    return _made(_places(course, student, assignment)[1]).get("engine")


def before_autograde(*, assignment: str, student: str, notebooks: list[str]) -> None:
    """nbgrader's hook: prepare the submission that these notebooks are in, and its report.

    nbgrader has the course's folder as its working directory. `student` may be a pattern; the list is changed in place.
    """
    submitted = Path(notebooks[0]).parent
    course, student, assignment = submitted.parents[2], submitted.parent.name, submitted.name
    notebooks.clear()  # whatever happens below, nothing that was handed in is opened
    remove(_file(_places(course, student, assignment)[1], AT_WORK))
    original = prepare(course, student, assignment)
    notebooks += sorted(str(path) for path in submitted.glob("*.ipynb"))
    given = _file(original, GIVEN)
    if _made(original, GIVEN).get("made") == _made(original)["made"]:
        os.replace(given, _file(original, AT_WORK))  # noqa: PTH105 - the name says what it does
    else:
        remove(given)
        _write_report(original, AT_WORK, _graded(original, student))


def _graded(original: Path, student: str) -> Report | str:
    from grader.marks import grade  # the checker is started only if marks are asked for

    try:
        return grade(original, student)
    except Exception as error:  # nbgrader would ignore it; it is raised where the report is asked for
        return f"{type(error).__name__}: {error}"


def after_autograde(*, assignment: str, student: str, notebooks: list[str]) -> None:
    """nbgrader's hook: remove the report."""
    for path in notebooks[:1]:
        autograded = Path(path).parent
        course, student, assignment = autograded.parents[2], autograded.parent.name, autograded.name
        remove(_file(_places(course, student, assignment)[1], AT_WORK))


def original_of(course: Path, student: str, assignment: str) -> Path:
    """The folder with what this student handed in."""
    submitted, original = _places(course, student, assignment)
    return original if _is_ours(submitted, original) or not submitted.exists() else submitted


def place(course: Path, student: str, assignment: str, folder: Path) -> None:
    """Move a collected folder to submitted/, unless the same files were submitted before. Raises OSError."""
    submitted, original = _places(course, student, assignment)
    if _is_ours(submitted, original) and _digest(folder) == _digest(original) != "":
        return
    submitted.parent.mkdir(parents=True, exist_ok=True)
    remove(submitted)
    os.replace(folder, submitted)  # noqa: PTH105 - the name says what it does


def prepare(course: Path, student: str, assignment: str) -> Path:
    """Repair the submission, if that is not done. Returns the folder with what was handed in. Raises OSError.

    It can be killed at any moment: what was handed in is moved before anything replaces it.
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
        release = course / "release" / assignment
        found = described(original, student, release)
        for path, text in repaired(original, found, release).items():
            (made / path).parent.mkdir(exist_ok=True)
            (made / path).write_text(text, encoding="utf-8")
        record = {"made": _digest(made), "engine": found.whole}
        _file(original).write_text(json.dumps(record) + "\n", encoding="utf-8")
        submitted.parent.mkdir(parents=True, exist_ok=True)
        os.replace(made, submitted)  # noqa: PTH105
    return original


def _places(course: Path, student: str, assignment: str) -> tuple[Path, Path]:
    return course / "submitted" / student / assignment, course / "originals" / student / assignment


def _file(original: Path, kind: str = "") -> Path:
    """A file of the grader beside the original."""
    return original.with_name(f"{original.name}.{kind}.json" if kind else f"{original.name}.json")


def _made(original: Path, kind: str = "") -> dict[str, Any]:
    """The content of such a file; empty if there is none."""
    try:
        made = json.loads(_file(original, kind).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return made if isinstance(made, dict) else {}


def _write_report(original: Path, kind: str, report: Report | str) -> None:
    said = {"why": report} if isinstance(report, str) else {"report": report.to_json()}
    file = _file(original, kind)
    file.write_text(json.dumps({"made": _made(original)["made"], **said}) + "\n", encoding="utf-8")


def _is_ours(submitted: Path, original: Path) -> bool:
    """Whether this folder was made here, from what stands in `original`."""
    made = _made(original).get("made")
    return original.is_dir() and submitted.is_dir() and not submitted.is_symlink() and _digest(submitted) == made


def _digest(folder: Path) -> str:
    """Equal for the same files; "" if there is a special or a large file, which was not made here."""
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
