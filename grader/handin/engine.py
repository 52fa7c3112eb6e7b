"""The engine's file as a student left it: read whole, or function by function where it cannot be read whole."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from durable_lab import source
from grader.handin import limits
from grader.handin.files import Folder, bare, load, shown, sort_of
from grader.handin.methods import Method, stub, usable
from grader.handin.model import Refused
from grader.handin.module import Module, functions_of, module, skeleton
from grader.handin.release import PARTS
from grader.handin.syntax import Source, Unreadable, compiled, moved_left, readable
from grader.handin.text import decode, without_cookie

_OURS = frozenset({"skeleton", "solution", "durable_lab", "grader", "tests", "bank"})  # of the whole repository
_CALLED = re.compile(r"engine(?:[ _-]*\(?\d+\)?)?(?:[ _-]*copy\d*)?\.py", re.IGNORECASE)
_CLASS = re.compile(r"^class\s+(\w+)")
_DEF = re.compile(r"^([ \t]+)(?:async\s+)?def\s+(\w+)\s*(?:\[[^\n]*?\])?\(")
_SCRIPTS = 50  # so many are looked into for an engine of another name
_CONFLICT = re.compile(r"^(<{7}|={7}|>{7})( |$)")


@dataclass(frozen=True)
class EngineFile:
    """A student's engine.py. `why` says why it cannot run as it is; then `base` is what is left of it, if anything."""

    path: str
    text: str
    methods: dict[str, Method]
    base: Module | None  # what functions can be put into
    why: str = ""
    notes: tuple[str, ...] = ()
    newer: str = ""  # the version of Python that reads it, where `why` is that this one is too old


def find(folder: Folder) -> tuple[str, str]:
    """The path of the engine in a hand-in ("" where there is none), and what is odd of it."""
    paths = [path for path in (*folder.files, *folder.refused) if not _OURS & set(path.split("/")[:-1])]
    for wanted in ("lab/engine.py", "engine.py"):
        if exact := [path for path in paths if f"/{path}".endswith(f"/{wanted}")]:
            return exact[0], _several(exact)
    renamed = [path for path in paths if _CALLED.fullmatch(bare(path.rpartition("/")[2]))]
    scripts = [path for path in paths if sort_of(path) == "python" and path in folder.files][:_SCRIPTS]
    named = renamed or [path for path in scripts if _looks_like_one(folder, path)]
    return (named[0], f"{shown(named[0])} was taken as lab/engine.py.") if named else ("", "")


def _several(paths: list[str]) -> str:
    return f"There are {len(paths)} files engine.py; {shown(paths[0])} counts." if len(paths) > 1 else ""


def _looks_like_one(folder: Folder, path: str) -> bool:
    try:
        data = load(folder.files[path], limits.ENGINE)
    except Refused:
        return False
    return b"class DurableEngine" in data and b"class Context" in data


def engine_file(path: str, data: bytes) -> EngineFile:
    """What can be used of this file. Raises Refused where nothing can."""
    text, note = decode(data, cookie=True)
    notes = [note] if note else []
    if b"\r" in data and not note:
        notes.append("has line ends of Windows")
    text = without_cookie(text)
    if not text.strip():
        raise Refused("is empty")
    if len(text) > limits.ENGINE:
        raise Refused(f"has more than {limits.ENGINE:,} characters")
    try:
        read = readable(text, limits.ENGINE, cell=False)
        compiled(read.tree.body)
    except Unreadable as error:
        return _salvaged(path, text, error, notes)
    notes += [f"was mended: {fixed}" for fixed in read.notes]
    return EngineFile(path, read.text, _methods(path, read), _base(read), notes=tuple(notes))


def _base(read: Source) -> Module | None:
    made = module(read.text, read.tree)
    return made if made.has_place_for(PARTS) else None


def _methods(path: str, read: Source) -> dict[str, Method]:
    functions = functions_of(read.tree)
    return {
        part: _method(part, f"{path}, line {functions[part].lineno}", read, functions[part])
        for part in PARTS
        if part in functions
    }


def _method(part: str, where: str, read: Source, node: source.Function) -> Method:
    lines = read.lines[node.lineno - 1 : node.end_lineno]
    return usable(Method(part, where, moved_left(lines, node, node.lineno), node))


def _salvaged(path: str, text: str, error: Unreadable, notes: list[str]) -> EngineFile:
    """Function by function, by their indentation: an error in one of the TODOs need not cost the others."""
    best: tuple[int, dict[str, Method], Module | None] = (-1, {}, None)
    for strict in (True, False):
        blocks = dict(_blocks(text.split("\n"), strict))
        methods = {part: _block(path, part, text, blocks[part]) for part in blocks}
        rest = _rest(text, blocks)
        score = sum(not method.why for method in methods.values()) + (len(PARTS) if rest else 0)
        if score > best[0]:
            best = score, methods, rest
    return EngineFile(path, text, best[1], best[2], why=str(error), notes=tuple(notes), newer=error.newer)


def _blocks(lines: list[str], strict: bool) -> Iterator[tuple[str, slice]]:
    """Where each TODO function seems to stand. It ends before the next line that is as far to the left; if not
    `strict`, before the next one that begins a function or a class there."""
    owner, margin = "", 0
    for start, line in enumerate(lines):
        if header := _CLASS.match(line):
            owner, margin = header[1], 0
        elif owner and (found := _DEF.match(line)):
            width = len(found[1].expandtabs(4))
            margin = margin or width
            if width == margin and f"{owner}.{found[2]}" in PARTS:
                yield f"{owner}.{found[2]}", slice(start, _end(lines, start + 1, margin, strict))


def _end(lines: list[str], start: int, margin: int, strict: bool) -> int:
    for number in range(start, len(lines)):
        line = lines[number].expandtabs(4)
        bare = line.strip()
        if not bare or len(line) - len(line.lstrip()) > margin or _CONFLICT.match(line):
            continue
        if strict and not bare.startswith("#") and not bare.startswith((")", "]", "}")):
            return number
        if re.match(r"(def|async def|class)\b|@", bare):
            return number
    return len(lines)


def _block(path: str, part: str, text: str, block: slice) -> Method:
    """The function in this block, or why it cannot be read."""
    lines = text.split("\n")[block]
    line = block.start + 1
    where = f"{path}, line {line}"
    try:
        read = readable("\n".join(["class _:", *lines]), limits.ENGINE, cell=False)
    except Unreadable as error:
        at = f" (line {error.line + block.start - 1})" if error.line > 1 else ""
        return Method(part, where, why=f"{error.why}{at}", newer=error.newer)
    node = read.tree.body[0].body[0] if isinstance(read.tree.body[0], ast.ClassDef) else None
    if not isinstance(node, source.Function):
        return Method(part, where, why="is not a function")
    return replace(_method(part, where, read, node), notes=read.notes)


def _rest(text: str, blocks: dict[str, slice]) -> Module | None:
    """The file with stubs for its TODO functions, if it can be read then."""
    lines = text.split("\n")
    for part, block in sorted(blocks.items(), key=lambda item: item[1].start, reverse=True):
        margin = lines[block.start][: len(lines[block.start]) - len(lines[block.start].lstrip())]
        lines[block] = [*stub(part).block(margin), ""]
    try:
        read = readable("\n".join(lines), limits.ENGINE, cell=False)
        compiled(read.tree.body)
    except Unreadable:
        return None
    return _base(read)


def changed_outside(file: EngineFile, parts: Iterable[str]) -> bool:
    """Is anything but these functions another than was handed out?"""
    return file.base is not None and _outside(file.base, parts) != _outside(skeleton(), parts)


def _outside(base: Module, parts: Iterable[str]) -> list[str]:
    spans = [base.spans[part] for part in parts if part in base.spans]
    inside = {line for span in spans for line in range(span.start, span.stop)}
    return [line.rstrip() for i, line in enumerate(base.lines) if line.strip() and i not in inside]
