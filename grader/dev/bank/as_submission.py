"""An engine of the bank as a submission: the released notebooks with its TODOs in their cells, and its file."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import nbformat

from durable_lab import source
from grader.dev.bank.entry import Entry
from grader.dev.bank.splice import REFERENCE
from grader.handin.release import METHODS, handed_out

_CELL = re.compile(r"@todo\(\d+\)\ndef (\w+)")


def hand_in(entry: Entry, folder: Path) -> Path:
    """Write the entry as a submission: `lab/engine.py`, and the notebooks if their TODO cells can hold all of it."""
    engine = entry.source()
    (folder / "lab").mkdir(parents=True)
    (folder / "lab" / "engine.py").write_text(engine, encoding="utf-8")
    if fits_notebooks(engine):
        for stem, text in handed_out().items():
            (folder / f"{stem}.ipynb").write_text(_filled(text, engine), encoding="utf-8")
    return folder


def fits_notebooks(engine: str) -> bool:
    """Return whether this engine differs from the reference in TODOs only."""
    return _without_todos(engine) == _without_todos(REFERENCE.read_text(encoding="utf-8"))


def _without_todos(text: str) -> str:
    """Return the source without the bodies of the TODOs, and without the lines that mark an answer."""
    for function in METHODS.values():
        if function not in source.functions(text):
            return f"{function} is missing"
        text = source.replace_function(text, function, "    # TODO")
    return "\n".join(line for line in text.splitlines() if line.strip() and not line.strip().startswith("###"))


def _filled(text: str, engine: str) -> str:
    book = nbformat.reads(text, as_version=4)
    for cell in book.cells:
        if found := _CELL.match(cell.source):
            decorator = cell.source.partition("\n")[0]
            method = textwrap.dedent(source.text_of(engine, METHODS[found[1]]))
            cell.source = f"{decorator}\n{method}"
    return nbformat.writes(book)
