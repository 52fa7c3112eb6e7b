"""What a student of the bank hands in: the released notebooks with this engine's TODOs in their cells, and its file."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import nbformat

from durable_lab import source
from grader.dev.bank.splice import REFERENCE, Entry
from grader.handin.release import METHODS, handed_out

_CELL = re.compile(r"@todo\(\d+\)\ndef (\w+)")


def hand_in(entry: Entry, folder: Path) -> Path:
    """Write the entry as a submission: notebooks and `lab/engine.py`; only the file where more than TODOs differs."""
    engine = entry.source()
    (folder / "lab").mkdir(parents=True)
    (folder / "lab" / "engine.py").write_text(engine, encoding="utf-8")
    if fits_notebooks(engine):
        for stem, text in handed_out().items():
            (folder / f"{stem}.ipynb").write_text(_filled(text, engine), encoding="utf-8")
    return folder


def fits_notebooks(engine: str) -> bool:
    """Does this engine differ from the reference in TODOs only, so that TODO cells can hold all of it?"""
    reference = REFERENCE.read_text(encoding="utf-8")
    return _rest(engine) == _rest(reference)


def _rest(text: str) -> str:
    """The source without the functions of the TODOs, without comments and marks."""
    for function in METHODS.values():
        if function not in source.functions(text):
            return f"{function} is not there"
        text = source.replace_function(text, function, "    # here")
    return "\n".join(line for line in text.splitlines() if line.strip() and not line.strip().startswith("###"))


def _filled(text: str, engine: str) -> str:
    book = nbformat.reads(text, as_version=4)
    for cell in book.cells:
        if found := _CELL.match(cell.source):
            number = cell.source.partition("\n")[0]
            method = textwrap.dedent(source.text_of(engine, METHODS[found[1]]))
            cell.source = f"{number}\n{method}"
    return nbformat.writes(book)
