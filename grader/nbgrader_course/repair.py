"""From what was handed in to notebooks that nbgrader can take: the released ones, with the student's own text in them.

Locked cells, names, metadata and the order are the release's. The student's own cells stay where they put them.
"""

from __future__ import annotations

import html
import json
import re
import secrets
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbgrader.utils import is_locked, parse_utc

from grader.handin import limits
from grader.handin.files import load, look, shown
from grader.handin.match import lesson_named, matched
from grader.handin.model import Refused
from grader.handin.notebook import Cell, Notebook, notebook
from grader.handin.release import Lesson, Release, released, tidy
from grader.handin.text import decode
from grader.nbgrader_course import clean
from grader.nbgrader_course.names import beside

_OWN = 300  # cells of the student's own in one notebook
_BOOK = 2_000_000  # characters of one notebook
_SMALL = 8_000_000  # bytes of a notebook whose attachments are looked at
_TODO = re.compile(r"def (\w+)\(self\b")
_QUESTION = re.compile(r"""question\(\s*["']([\w-]+)["']""")
_BOX = re.compile(r"^(\w+) = predict\(.*\)\s*# (.*)$", re.MULTILINE)

Attachments = Mapping[int, Mapping[str, Mapping[str, str]]]  # by the cell's number


def repaired(original: Path, release: Path) -> dict[str, str]:
    """The files for nbgrader by their path: every released notebook, the student's engine, a time and a secret.

    original  the folder as it was handed in; whatever is wrong in it is not raised
    release   nbgrader's folder of what was handed out
    """
    given = {path.stem: path.read_text(encoding="utf-8") for path in sorted(release.glob("*.ipynb"))}
    known = _release(tuple(given.items()))
    files, why = _read(original, known)
    copies, _ = matched([book for book, _ in files.values()], known)
    books = {copy.lesson.stem: copy.book for copy in copies if copy.lesson and copy.main}
    made = {}
    for stem, text in given.items():
        ours = nbformat.reads(text, as_version=4)
        if stem in books:
            _fill(ours, known.lessons[stem], books[stem], files[books[stem].path][1])
        else:
            ours.cells.insert(0, _note(stem, why.get(stem, "was not handed in")))
        made[f"{stem}.ipynb"] = nbformat.writes(ours) + "\n"
    return {**made, **_beside(original), **_papers(original)}


@cache
def _release(notebooks: tuple[tuple[str, str], ...]) -> Release:
    return released(dict(notebooks))


def _read(original: Path, known: Release) -> tuple[dict[str, tuple[Notebook, Attachments]], dict[str, str]]:
    """The notebooks that can be read, by path; and why others cannot, by the lesson that their name speaks of."""
    books: dict[str, tuple[Notebook, Attachments]] = {}
    why: dict[str, str] = {}
    room = limits.TOTAL
    for path, file in _files(original, ".ipynb").items():
        try:
            if len(books) >= limits.NOTEBOOKS:
                break
            data = load(file, min(limits.NOTEBOOK, room))
            room -= len(data)
            book = notebook(shown(path), data)
            books[book.path] = book, _attachments(data)
        except Refused as error:
            if lesson := lesson_named(path, known):
                why[lesson.stem] = str(error)
    return books, why


def _files(original: Path, suffix: str) -> dict[str, Path]:
    try:
        return {path: file for path, file in look(original).files.items() if path.casefold().endswith(suffix)}
    except Refused:
        return {}


def _attachments(data: bytes) -> Attachments:
    """The pictures that were pasted into Markdown cells, where that is cheap to know."""
    if len(data) > _SMALL or b'"attachments"' not in data:
        return {}
    try:
        cells = json.loads(data)["cells"]
        return {i: clean.attachments(cell.get("attachments")) for i, cell in enumerate(cells, 1)}
    except Exception:  # whatever its form is: then there are none
        return {}


def _note(stem: str, why: str) -> Any:
    words = f"{stem}.ipynb {why}. Below it stands as it was handed out."
    return new_markdown_cell(clean.as_markdown(f"<p><strong>{html.escape(clean.text(words))}</strong></p>"), id="note")


def _fill(ours: Any, lesson: Lesson, book: Notebook, pictures: Attachments) -> None:
    """Put the student's cells into the released notebook."""
    places = _places(ours, lesson, book)
    best: dict[str, Cell] = {}
    for cell in book.cells:
        if (id := places.get(cell.number)) and (id not in best or _is_new(cell, lesson, id, best[id])):
            best[id] = cell
    kept = {cell.number for cell in best.values()}
    own: dict[str, list[Any]] = {}
    last, room = "", _BOOK
    for cell in book.cells:
        last = places.get(cell.number, last) if cell.number in kept else last
        said = tidy(cell.source)
        if cell.number not in kept and said and said != lesson.texts.get(places.get(cell.number, "")):
            own.setdefault(last, []).append(cell)
    cells = [_own(cell, pictures) for cell in own.get("", ())]
    for cell in ours.cells:
        if cell.id in best and not is_locked(cell) and tidy(best[cell.id].source) != tidy(cell.source):
            _put(cell, best[cell.id], pictures)
        cells += [cell, *(_own(mine, pictures) for mine in own.get(cell.id, ()))]
    ours.cells = []
    for cell in cells:
        is_own = cell.id.startswith("own-")
        room -= len(cell.source)
        if not is_own or (room > 0 and len(ours.cells) < len(lesson.texts) + _OWN):
            ours.cells.append(cell)


def _is_new(cell: Cell, lesson: Lesson, id: str, before: Cell) -> bool:
    """Whether, of two copies of one cell, the first was left as handed out and this one was not."""
    return tidy(before.source) in ("", lesson.texts[id]) and tidy(cell.source) not in ("", lesson.texts[id])


def _put(cell: Any, mine: Cell, pictures: Attachments) -> None:
    if cell.cell_type == "code":
        cell.source = clean.text(mine.source)
        return
    kept = pictures.get(mine.number, {})
    cell.source = clean.markdown_source(mine.source, kept)
    if kept:
        cell["attachments"] = kept


def _own(cell: Cell, pictures: Attachments) -> Any:
    """A cell of the student's own."""
    id = f"own-{cell.number}"
    if cell.kind == "code":
        return new_code_cell(clean.text(cell.source), id=id)
    made = new_markdown_cell("", id=id)
    if cell.kind == "markdown":
        _put(made, cell, pictures)
    else:
        made.source = clean.as_markdown(f"<pre>{html.escape(clean.text(cell.source, clean.MARKDOWN_ROOM))}</pre>")
    return made


def _places(ours: Any, lesson: Lesson, book: Notebook) -> dict[int, str]:
    """The released cell that each of the student's cells is, by number -> id: by its names, its text, its place."""
    graded = {cell.metadata.nbgrader.grade_id: cell.id for cell in ours.cells if "nbgrader" in cell.metadata}
    found: dict[int, str] = {}
    for cell in book.cells:
        id = cell.id if cell.id in lesson.texts else graded.get(cell.grade_id, "")
        if id:
            found[cell.number] = id
    texts = {text: id for id, text in reversed(lesson.texts.items()) if id not in found.values()}
    for cell in book.cells:
        if cell.number not in found and (id := texts.pop(tidy(cell.source), "") or _told(cell, lesson)):
            found[cell.number] = id
    return {**dict(_gaps(ours, book, found)), **found}


def _told(cell: Cell, lesson: Lesson) -> str:
    """The released cell with the same TODO, question or prediction."""
    for name in _TODO.findall(cell.source):
        for id, function in lesson.todos.items():
            if function.endswith(f".{name}"):
                return id
    for name in _QUESTION.findall(cell.source):
        if name in lesson.questions:
            return lesson.questions[name]
    boxes = {(box.name, box.words): box.cell for box in lesson.boxes}
    return next((boxes[box] for box in _BOX.findall(cell.source) if box in boxes), "")


def _gaps(ours: Any, book: Notebook, found: Mapping[int, str]) -> Iterator[tuple[int, str]]:
    """Between two cells that are known, as many unknown ones of the same kinds as there are in the release."""
    order = {cell.id: place for place, cell in enumerate(ours.cells)}
    known = [(-1, -1), *((i, order[found[c.number]]) for i, c in enumerate(book.cells) if c.number in found)]
    known.append((len(book.cells), len(ours.cells)))
    taken = set(found.values())
    for (here, there), (here_end, there_end) in pairwise(known):
        mine = [cell for cell in book.cells[here + 1 : here_end] if cell.source.strip()]
        theirs = [cell for cell in ours.cells[there + 1 : there_end] if cell.id not in taken]
        if there < there_end and [cell.kind for cell in mine] == [cell.cell_type for cell in theirs]:
            yield from ((cell.number, its.id) for cell, its in zip(mine, theirs, strict=True))


def _beside(original: Path) -> dict[str, str]:
    """The student's engine and what belongs to it, where it lies as it was handed out."""
    made = {}
    files = _files(original, ".py")
    for path in beside():
        if path in files:
            try:
                made[path] = clean.text(decode(load(files[path], limits.ENGINE), cookie=True)[0], limits.ENGINE)
            except Refused:
                continue
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
    """Whether nbgrader can read it: its pages fail for everybody where one cannot be read."""
    try:
        return isinstance(parse_utc(text), datetime)
    except Exception:
        return False


def _line(path: Path) -> str:
    try:
        return load(path, 1_000).decode("ascii").strip()
    except (Refused, UnicodeDecodeError):
        return ""
