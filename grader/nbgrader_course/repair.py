"""From what was handed in to notebooks that nbgrader can take: the released ones, with the student's own text in them.

Locked cells, names, metadata and the order are the release's. The student's own cells keep their position. Which
cell is which is taken from the document on the submission, as it is for marks.
"""

from __future__ import annotations

import html
import re
import secrets
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbgrader.utils import is_locked, parse_utc

from grader.handin import Submission, limits, read
from grader.handin.files import load
from grader.handin.inside.document import Cell, Notebook, Refused, tidy
from grader.handin.inside.lab import Lab
from grader.handin.release import released
from grader.nbgrader_course import clean
from grader.nbgrader_course.names import beside

_OWN = 300  # cells of the student's own in one notebook
_BOOK = 2_000_000  # characters of one notebook


def described(original: Path, student: str, release: Path) -> Submission:
    """The document on what was handed in, compared with what this course has released.

    original  the folder as it was handed in; whatever is wrong in it is not raised
    release   nbgrader's folder of what was handed out
    """
    return read(original, student, lab=_lab(_given(release)))


def repaired(original: Path, found: Submission, release: Path) -> dict[str, str]:
    """The files for nbgrader by their path: every released notebook, the student's engine, a time and a secret."""
    books = {book.lesson: book for book in found.notebooks if book.main}
    made = {}
    for stem, text in _given(release):
        ours = nbformat.reads(text, as_version=4)
        if stem in books:
            _fill(ours, books[stem])
        else:
            why = found.unread.get(stem) or found.not_graded or "it was not handed in"
            ours.cells.insert(0, _note(stem, why))
        made[f"{stem}.ipynb"] = nbformat.writes(ours) + "\n"
    python = {path: clean.text(found.files[path], limits.ENGINE) for path in beside() if path in found.files}
    return {**made, **python, **_papers(original)}


def _given(release: Path) -> tuple[tuple[str, str], ...]:
    return tuple((path.stem, path.read_text(encoding="utf-8")) for path in sorted(release.glob("*.ipynb")))


@lru_cache(maxsize=1)
def _lab(notebooks: tuple[tuple[str, str], ...]) -> Lab:
    return released(dict(notebooks))


def _note(stem: str, why: str) -> Any:
    words = f"{stem}.ipynb: {why.rstrip('.')}. Below, it stands as it was handed out."
    return new_markdown_cell(clean.as_markdown(f"<p><strong>{html.escape(clean.text(words))}</strong></p>"), id="note")


def _fill(ours: Any, book: Notebook) -> None:
    """Put the student's cells into the released notebook."""
    given = {cell.id: tidy(cell.source) for cell in ours.cells}
    best: dict[str, Cell] = {}
    for cell in book.cells:
        if (id_ := cell.stands_for) and (id_ not in best or _is_new(cell, given[id_], best[id_])):
            best[id_] = cell
    kept = {cell.number for cell in best.values()}
    own: dict[str, list[Cell]] = {}
    last = ""
    for cell in book.cells:
        last = cell.stands_for if cell.number in kept else last
        if cell.number not in kept and cell.tidy and cell.tidy != given.get(cell.stands_for):
            own.setdefault(last, []).append(cell)
    cells = [_own(cell) for cell in own.get("", ())]
    for cell in ours.cells:
        if cell.id in best and not is_locked(cell) and best[cell.id].tidy != tidy(cell.source):
            _put(cell, best[cell.id])
        cells += [cell, *map(_own, own.get(cell.id, ()))]
    ours.cells, room = [], _BOOK
    for cell in cells:
        room -= len(cell.source)
        if not cell.id.startswith("own-") or (room > 0 and len(ours.cells) < len(given) + _OWN):
            ours.cells.append(cell)


def _is_new(cell: Cell, given: str, before: Cell) -> bool:
    """Whether, of two copies of one cell, the first was left as handed out and this one was not."""
    return before.tidy in ("", given) and cell.tidy not in ("", given)


def _put(cell: Any, mine: Cell) -> None:
    if cell.cell_type == "code":
        cell.source = clean.text(mine.source)
        return
    pictures = clean.attachments(mine.attachments)
    cell.source = clean.markdown_source(mine.source, pictures)
    if pictures:
        cell["attachments"] = pictures


def _own(cell: Cell) -> Any:
    """A cell of the student's own."""
    id_ = f"own-{cell.number}"
    if cell.kind == "code":
        return new_code_cell(clean.text(cell.source), id=id_)
    made = new_markdown_cell("", id=id_)
    if cell.kind == "markdown":
        _put(made, cell)
    else:
        made.source = clean.as_markdown(f"<pre>{html.escape(clean.text(cell.source, clean.MARKDOWN_ROOM))}</pre>")
    return made


def _papers(original: Path) -> dict[str, str]:
    """When it was handed in, and the secret by which its author finds the feedback. nbgrader needs both."""
    time, secret = (_line(original / name) for name in ("timestamp.txt", "submission_secret.txt"))
    if not _is_time(time):
        time = datetime.fromtimestamp(original.lstat().st_mtime, UTC).strftime("%Y-%m-%d %H:%M:%S.%f UTC")
    return {
        "timestamp.txt": time,
        "submission_secret.txt": secret if re.fullmatch(r"[\w-]{16,200}", secret) else secrets.token_hex(64),
    }


def _is_time(text: str) -> bool:
    """Whether nbgrader can read it. One time that it cannot read makes its pages fail for all students."""
    try:
        return isinstance(parse_utc(text), datetime)
    except Exception:
        return False


def _line(path: Path) -> str:
    try:
        return load(path, 1_000).decode("ascii").strip()
    except (Refused, UnicodeDecodeError):
        return ""
