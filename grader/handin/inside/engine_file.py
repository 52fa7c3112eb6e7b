"""The engine's file as a student left it: read as a whole, or function by function if that is not possible."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from grader.handin.inside.document import Place, Refused
from grader.handin.inside.lab import Lab
from grader.handin.inside.methods import Method, method_of, stub, usable
from grader.handin.inside.module import Module, module, skeleton
from grader.handin.inside.syntax import Unreadable, compiled, readable
from grader.handin.inside.text import decode, without_cookie

_CLASS = re.compile(r"^class\s+(\w+)")
_DEF = re.compile(r"^([ \t]+)(?:async\s+)?def\s+(\w+)\s*(?:\[[^\n]*?\])?\(")
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
    newer: str = ""  # the version of Python that reads it, if `why` is that this one is too old


def engine_file(path: str, data: bytes, lab: Lab) -> EngineFile:
    """What can be used of this file. Raises Refused if nothing can."""
    text, note = decode(data, cookie=True)
    notes = [note] if note else []
    if b"\r" in data and not note:
        notes.append("has Windows line endings")
    text = without_cookie(text)
    if not text.strip():
        raise Refused("is empty")
    try:
        read = readable(text, cell=False)
        compiled(read.tree.body)
    except Unreadable as error:
        return _salvaged(path, text, error, notes, lab)
    notes += [f"was repaired: {fixed}" for fixed in read.notes]
    source = module(read.text, read.tree)
    methods = {part: _method(source, part, path, lab) for part in lab.parts if part in source.functions}
    return EngineFile(path, read.text, methods, _base(source, lab), notes=tuple(notes))


def _base(source: Module, lab: Lab) -> Module | None:
    return source if source.has_place_for(lab.parts) else None


def _method(source: Module, part: str, path: str, lab: Lab) -> Method:
    return usable(method_of(source, part, Place(path, line=source.functions[part].lineno)), lab)


# ------------------------------------------------------------ a file that does not parse


def _salvaged(path: str, text: str, error: Unreadable, notes: list[str], lab: Lab) -> EngineFile:
    """Its functions, told apart by their indentation: an error in one of the TODOs need not cost the others."""
    lines = text.split("\n")
    best: tuple[int, dict[str, Method], Module | None] = (-1, {}, None)
    for strict in (True, False):
        blocks = dict(_blocks(lines, strict, lab))
        methods = {part: _block(path, part, lines, blocks[part], lab) for part in blocks}
        rest = _rest(lines, blocks, lab)
        score = sum(not method.why for method in methods.values()) + (len(lab.parts) if rest else 0)
        if score > best[0]:
            best = score, methods, rest
    return EngineFile(path, text, best[1], best[2], why=str(error), notes=tuple(notes), newer=error.newer)


def _blocks(lines: list[str], strict: bool, lab: Lab) -> Iterator[tuple[str, slice]]:
    """Where each TODO function seems to stand. It ends before the next line that is as far to the left; if not
    `strict`, before the next one that begins a function or a class there."""
    owner, margin = "", 0
    for start, line in enumerate(lines):
        if header := _CLASS.match(line):
            owner, margin = header[1], 0
        elif owner and (found := _DEF.match(line)):
            width = len(found[1].expandtabs(4))
            margin = margin or width
            if width == margin and f"{owner}.{found[2]}" in lab.parts:
                yield f"{owner}.{found[2]}", slice(start, _end(lines, start + 1, margin, strict))


def _end(lines: list[str], start: int, margin: int, strict: bool) -> int:
    """The line after a block. Comments above what follows belong to what follows."""
    end, last = len(lines), start
    for number in range(start, len(lines)):
        line = lines[number].expandtabs(4)
        text = line.strip()
        if not text:
            continue
        if len(line) - len(line.lstrip()) <= margin and not _CONFLICT.match(line):
            if re.match(r"(def|async def|class)\b|@", text) or (strict and not text.startswith(("#", ")", "]", "}"))):
                end = number
                break
            if text.startswith("#"):
                continue
        last = number + 1
    return last if end < len(lines) else end


def _block(path: str, part: str, lines: list[str], block: slice, lab: Lab) -> Method:
    """The function in this block, or why it cannot be read."""
    place = Place(path, line=block.start + 1)
    try:
        read = readable("\n".join([f"class {part.partition('.')[0]}:", *lines[block]]), cell=False)
    except Unreadable as error:
        at = f" (line {error.line + block.start - 1})" if error.line > 1 else ""
        return Method(part, place, why=f"{error.why}{at}", newer=error.newer)
    source = module(read.text, read.tree)
    if part not in source.functions:
        return Method(part, place, why="is not a function")
    return replace(usable(method_of(source, part, place), lab), notes=read.notes)


def _rest(lines: list[str], blocks: dict[str, slice], lab: Lab) -> Module | None:
    """The file with stubs for its TODO functions, if it can be read then."""
    lines = list(lines)
    for part, block in sorted(blocks.items(), key=lambda item: item[1].start, reverse=True):
        margin = lines[block.start][: len(lines[block.start]) - len(lines[block.start].lstrip())]
        lines[block] = [*stub(lab, part).block(margin), ""]
    try:
        read = readable("\n".join(lines), cell=False)
        compiled(read.tree.body)
    except Unreadable:
        return None
    return _base(module(read.text, read.tree), lab)


def changed_outside(file: EngineFile, lab: Lab) -> bool:
    """Whether anything but the functions of the TODOs differs from what was handed out."""
    return file.base is not None and _outside(file.base, lab.parts) != _outside(skeleton(lab), lab.parts)


def _outside(base: Module, parts: Iterable[str]) -> list[str]:
    spans = [base.spans[part] for part in parts if part in base.functions]
    inside = {line for span in spans for line in range(span.start, span.stop)}
    return [line.rstrip() for i, line in enumerate(base.lines) if line.strip() and i not in inside]
