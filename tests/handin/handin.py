"""A submission to modify: the solved notebooks, or those that were handed out, as JSON that a test changes."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from durable_lab import source
from grader.handin import Submission, read
from grader.handin.release import current

REFERENCE, SKELETON = current().reference, current().skeleton
NOW, WAIT = "03_determinism-15", "05_signals-3"  # the cells of TODO 2 and 3


@dataclass
class HandIn:
    """A folder that is handed in. `books` are notebooks by stem; `files` are other files by path."""

    folder: Path
    books: dict[str, Any]
    files: dict[str, bytes] = field(default_factory=dict)

    def cell(self, id_: str) -> dict[str, Any]:
        """The cell with this id."""
        return next(cell for book in self.books.values() for cell in book["cells"] if cell.get("id") == id_)

    def say(self, id_: str, text: str) -> None:
        """Put this text into the cell."""
        self.cell(id_)["source"] = text

    def add(self, stem: str, text: str, at: int = 3, **more: Any) -> dict[str, Any]:
        """A code cell of the student's own, as the notebook's cell number `at` + 1."""
        cell = {"cell_type": "code", "id": f"own-{len(text)}-{at}", "metadata": {}, "outputs": [], "source": text}
        cell |= {"execution_count": None, **more}
        self.books[stem]["cells"].insert(at, cell)
        return cell

    def write(self) -> Path:
        """Write it all. Returns the folder."""
        made = {f"notebooks/{stem}.ipynb": json.dumps(book).encode() for stem, book in self.books.items()}
        for path, data in {**made, **self.files}.items():
            target = self.folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        return self.folder

    def read(self, **more: Any) -> Submission:
        return read(self.write(), "ann", **more)


def function(engine: str | None, name: str) -> str:
    """The text of a function in an engine that is there."""
    assert engine is not None
    return source.text_of(engine, name)


def loaded(engine: str | None) -> ModuleType:
    """The engine as a module. Only for engines that a test made."""
    assert engine is not None
    module = sys.modules["engine_of_a_test"] = ModuleType("engine_of_a_test")
    exec(compile(engine, "engine_of_a_test", "exec"), vars(module))
    return module
