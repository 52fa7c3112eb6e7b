"""Read a submission: open its files here, describe them in the sandbox, and check what comes back."""

from __future__ import annotations

import json
import marshal
import re
import subprocess
import tempfile
import threading
from collections.abc import Iterable
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import IO, Any

import msgspec

from durable_lab.checks.bench import NotStarted
from durable_lab.todos import SKELETON
from grader.handin import limits
from grader.handin.containers import is_archive
from grader.handin.files import Folder, Unreachable, load, look
from grader.handin.inside.document import Refused, Submission
from grader.handin.inside.lab import Lab, to_json
from grader.handin.inside.match import lesson_named
from grader.handin.inside.names import bare, shown, sort_of
from grader.handin.release import current
from grader.sandbox import bubblewrap

NOTE = ".unpacked.json"  # what `unpack` leaves beside the files: {"refusals": [...], "late": "...", "only": "a text"}
LIMITS = bubblewrap.Limits(memory_mb=1_500, cpu_seconds=20, processes=4)
SECONDS = 60.0  # by the clock on the wall
DOCUMENT = 100_000_000  # bytes
_ENTRY = Path(__file__).with_name("inside") / "entry.py"
_READY = b"ready\n"
_BESIDE = [f"lab/{path.name}" for path in sorted(SKELETON.glob("*.py"))]
_OURS = frozenset({"skeleton", "solution", "durable_lab", "grader", "tests", "bank"})  # of the whole repository
_CALLED = re.compile(r"engine(?:[ _-]*\(?\d+\)?)?(?:[ _-]*copy\d*)?\.py", re.IGNORECASE)
_SCRIPTS = 50  # so many are looked into for an engine of another name
_TEXTS = (".html", ".htm", ".txt", ".md", ".rtf", ".url", ".webloc")
_OVERTAXED = (
    f"Its files could not be read within {LIMITS.cpu_seconds} seconds and {LIMITS.memory_mb:,} MB of memory. "
    "Open them by hand, and ask for smaller ones."
)


def read(
    folder: Path,
    student: str,
    *,
    files: bool = False,
    isolated: bool = True,
    lab: Lab | None = None,
    late: str = "",
    refused: Iterable[str] = (),
) -> Submission:
    """The submission in this folder. Whatever is in it, its reason is in the submission. Raises NotStarted only.

    files     lab/engine.py counts even if there are notebooks
    isolated  in the sandbox, if this machine has one; nothing of a submission is run in either case
    lab       what was handed out; the notebooks that this repository makes, unless another one is given
    late      a note for the report
    refused   sentences on what was left out before, for instance by `unpack`
    """
    try:
        return _read(folder, student, files, isolated, lab or current(), late, refused)
    except NotStarted:
        raise
    except Exception as error:
        return _fault(type(error).__name__, student, late)


def _read(
    folder: Path, student: str, files: bool, isolated: bool, lab: Lab, late: str, refused: Iterable[str]
) -> Submission:
    note = _note(folder)
    late = late or _text(note, "late")
    try:
        there = look(folder)
    except Refused as why:
        return Submission(student, refusals={"submission": f"what was handed in {why}"}, late=late)
    engine, unusual = _engine_of(there)
    given = {
        "student": student,
        "engine": engine,
        "files_only": files,
        "late": late,
        "refusals": _left_out([*note.get("refusals", []), *refused]),
        "repairs": ([f"The folder {there.cut}."] if there.cut else []) + unusual,
        "nothing": _nothing(there),
        "no_mark": _why_no_mark(there, _text(note, "only")),
        "unopened": bool(there.refused),
    }
    with tempfile.TemporaryFile() as spool:
        _write(spool, there, engine, given, lab)
        if unreachable := _text(note, "unreachable"):
            told = f"{unreachable} Make it readable for the grader, and unpack again."
            return Submission(student, late=late, not_graded=told)
        if there.unreadable:
            return Submission(student, late=late, not_graded=_unreadable(there))
        spool.seek(0)
        said = _described(spool, isolated)
    return _checked(said, student, late)


# ------------------------------------------------------------ in the sandbox


def _described(files: IO[bytes], isolated: bool) -> bytes:
    """What the process in the sandbox says of these files; it is cut off at the limits. Raises NotStarted."""
    if isolated and not bubblewrap.missing():
        command = bubblewrap.command([bubblewrap.inside(_ENTRY)], files=[_ENTRY], limits=LIMITS)
    else:
        command = bubblewrap.unprotected([_ENTRY], LIMITS)
    try:
        process = subprocess.Popen(command, stdin=files, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError as error:
        raise NotStarted(f"the sandbox did not start: {error}") from None
    with process:
        timer = threading.Timer(SECONDS, process.kill)
        timer.start()
        try:
            assert process.stdout
            said = process.stdout.read(DOCUMENT)
        finally:
            timer.cancel()
            process.kill()
    if not said.startswith(_READY):
        raise NotStarted("the sandbox did not start, so the files were not read")
    return said.removeprefix(_READY)


def _checked(said: bytes, student: str, late: str) -> Submission:
    """The document, if it has the form of one. It comes from a process that read a stranger's files."""
    if said.startswith(b"-") and said[1:].isalpha() and len(said) < 50:
        return _fault(said[1:].decode(), student, late)
    try:
        return replace(msgspec.json.decode(said[1:], type=Submission), student=student)
    except (msgspec.DecodeError, RecursionError):
        return Submission(student, refusals={"submission": _OVERTAXED}, late=late, not_graded=_OVERTAXED)


def _fault(error: str, student: str, late: str) -> Submission:
    why = f"could not be read ({error}); that is a fault of the grader. Please report it."
    return Submission(student, refusals={"submission": why}, late=late, not_graded=f"It {why}")


# ------------------------------------------------------------ the files


def _write(spool: IO[bytes], there: Folder, engine: str, given: dict[str, Any], lab: Lab) -> None:
    """Write what `inside/entry.py` reads. What this machine does not let us read is noted in `there.unreadable`."""
    python = list(dict.fromkeys(path for path in (engine, *_BESIDE) if path in there.files or path in there.refused))
    modules = _modules()
    spool.write(f"{len(modules)}\n".encode() + modules)
    spool.write(f'{{"lab": {_json(lab)}, "python": {len(python)}, "given": {json.dumps(given)}}}\n'.encode())
    for path in python:
        _put(spool, there, path, limits.ENGINE)
    refused = [path for path in there.refused if sort_of(path) != "python"]
    room, read = limits.TOTAL, 0
    for path in [*refused, *_candidates(there, lab)]:
        if path not in there.refused and (read >= limits.NOTEBOOKS or room <= 0):
            there.refused[path] = "was not read: there are too many notebooks, or they are too large"
        size = _put(spool, there, path, limits.NOTEBOOK)
        room -= size
        read += size > 0


def _put(spool: IO[bytes], there: Folder, path: str, most: int) -> int:
    """Write one file, or why it is not read. Returns its size."""
    data, why = b"", there.refused.get(path, "")
    if not why:
        try:
            data = load(there.path(path), most)
        except Unreachable as error:
            there.unreadable[path] = str(error)
        except Refused as error:
            why = str(error)
    spool.write(json.dumps([path, len(data), why]).encode() + b"\n" + data)
    return len(data)


@lru_cache(maxsize=2)
def _json(lab: Lab) -> str:
    return json.dumps(to_json(lab))


@cache
def _modules() -> bytes:
    """The modules of `inside`, compiled here once, as `inside/entry.py` imports them."""
    package = f"{__package__}.{_ENTRY.parent.name}"
    made = {name: (True, compile("", "", "exec")) for name in ("grader", __package__)}
    for path in sorted(_ENTRY.parent.glob("*.py")):
        is_package = path.stem == "__init__"
        code = compile(path.read_bytes(), f"{_ENTRY.parent.name}/{path.name}", "exec", dont_inherit=True)
        made[package if is_package else f"{package}.{path.stem}"] = is_package, code
    return marshal.dumps(made)


def _candidates(there: Folder, lab: Lab) -> list[str]:
    """The files that are notebooks by their names, or may be: JSON, or a file called like a notebook of the lab."""
    found = [path for path in there.files if sort_of(path) in ("notebook", "json")]
    return found + [path for path in there.others if lesson_named(path, lab) and not is_archive(path)]


def _engine_of(there: Folder) -> tuple[str, list[str]]:
    """The path of the engine in a submission ("" if there is none), and what is unusual about it."""
    paths = [path for path in (*there.files, *there.refused) if not _OURS & set(path.split("/")[:-1])]
    for wanted in ("lab/engine.py", "engine.py"):
        if exact := [path for path in paths if f"/{path}".endswith(f"/{wanted}")]:
            several = f"There are {len(exact)} files engine.py; {shown(exact[0])} counts."
            return exact[0], [several] if len(exact) > 1 else []
    named = [path for path in paths if _CALLED.fullmatch(bare(path.rpartition("/")[2]))]
    scripts = [path for path in paths if sort_of(path) == "python" and path in there.files][:_SCRIPTS]
    path = next(iter(named), "") or next((path for path in scripts if _looks_like_one(there, path)), "")
    return path, [f"{shown(path)} was taken as lab/engine.py."] if path else []


def _looks_like_one(there: Folder, path: str) -> bool:
    try:
        data = load(there.files[path], limits.ENGINE)
    except Refused:
        return False
    return b"class DurableEngine" in data and b"class Context" in data


# ------------------------------------------------------------ what is said of a folder


def _unreadable(there: Folder) -> str:
    told = [f"{shown(path)} {why}" for path, why in list(there.unreadable.items())[:3]]
    more = f", and {len(there.unreadable) - 3} more" if len(there.unreadable) > 3 else ""
    return f"{'; '.join(told)}{more}. Make it readable for the grader, or copy it again from where it was handed in."


def _why_no_mark(there: Folder, only: str) -> str:
    """Why a submission without a notebook or an engine can have no mark, which is not 0; "" if 0 is right."""
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


def _left_out(lines: Iterable[object]) -> dict[str, str]:
    """What was left out when an archive was unpacked."""
    plain = list(dict.fromkeys(shown(line, 300) for line in lines if isinstance(line, str)))
    more = f" And {len(plain) - 5} more." if len(plain) > 5 else ""
    return {"archive": " ".join(plain[:5]) + more} if plain else {}


def _text(note: dict[str, Any], key: str) -> str:
    """What `unpack` noted under this key."""
    told = note.get(key, "")
    return shown(told, 300) if isinstance(told, str) else ""


def _note(folder: Path) -> dict[str, Any]:
    """The note of `unpack`; a student may have written it, too."""
    try:
        note = json.loads(load(folder / NOTE, 100_000))
    except (Refused, ValueError, RecursionError):
        return {}
    return note if isinstance(note, dict) and isinstance(note.get("refusals", []), list) else {}
