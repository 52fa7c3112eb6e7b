"""A hostile engine is a small file: its docstring says in one sentence what it tries, its code tries it.

It is put into an engine as the bank does it: functions of `Context` and `DurableEngine` take the place of the engine's,
all else is added below. At its top it may say

    EARNS = 84          what it has honestly earned; 0 where nothing is said
    ON = "solved"       it is put into the reference; else into an engine that does nothing
    HANGS = True        it would use up all its seconds

Those that call `_everything()` get the words of `engines/_everything.txt`, which read all that may lie on the machine.
Files in `wire/` take the line to the grader into their own hands, with the words of `wire/_line.txt`.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from durable_lab import source
from durable_lab.todos import SKELETON, all_todos
from grader.dev.bank.splice import REFERENCE, splice

HERE = Path(__file__).parent
SOLVED = REFERENCE.read_text(encoding="utf-8")
STUBS = (SKELETON / "engine.py").read_text(encoding="utf-8")
OPEN = STUBS  # nothing is written but a wrong TODO 2. Subtle: `pass`, so that no message is "still to be written"
for _part in (part.function for todo in all_todos().values() for part in todo.parts):
    _head = source.text_of(STUBS, _part).partition("\n")[0]
    OPEN = source.replace_function(
        OPEN, _part, f"{_head}\n        {'return 0.0' if _part == 'Context.now' else 'pass'}"
    )
LINE = (HERE / "wire" / "_line.txt").read_text(encoding="utf-8")
EVERYTHING = "\n\n" + (HERE / "engines" / "_everything.txt").read_text(encoding="utf-8")
_HEADS = ("EARNS", "ON", "HANGS")


@dataclass(frozen=True)
class Attack:
    """One file of `engines/` or `wire/`. `said` has the settings at its top."""

    path: Path

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def said(self) -> dict[str, Any]:
        pairs = [(node.targets[0].id, node.value) for node in ast.parse(self.text).body if _is_head(node)]
        return {"EARNS": 0, "ON": "", "HANGS": False, **{name: ast.literal_eval(value) for name, value in pairs}}

    def engine(self, **planted: Any) -> str:
        """Return the submitted engine. `@name@` in quotes is replaced by a value that the test has planted."""
        lines = self.text.split("\n")
        for node in ast.parse(self.text).body:
            if _is_head(node):
                lines[node.lineno - 1] = ""
        text = "\n".join(lines) + (EVERYTHING if "_everything(" in self.text else "")
        for name, value in planted.items():
            text = text.replace(f'"@{name}@"', repr(value))
        if self.path.parent.name == "wire":
            return f"{OPEN}\n\n{LINE}\n{text}"
        return splice(text, SOLVED if self.said["ON"] == "solved" else OPEN, self.path.name)


def _is_head(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in _HEADS


def attacks(folder: str) -> list[Attack]:
    """The attacks of a folder, by name."""
    return [Attack(path) for path in sorted((HERE / folder).glob("*.py"))]
