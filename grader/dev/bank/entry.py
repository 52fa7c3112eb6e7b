"""The entries of the bank: small Python files, from which the full source of an engine is made (see splice.py)."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.dev.bank.splice import REFERENCE, SpliceError, declared, splice

BANK = Path(__file__).parent


@dataclass(frozen=True)
class Entry:
    """An engine of the bank. A right one has `todo` 0, `belief` "" and no `rules`."""

    path: Path
    text: str
    about: str  # the docstring; that of a wrong engine begins with the belief in plain words
    belief: str = ""
    todo: int = 0
    rules: tuple[str, ...] = ()
    whole: bool = False

    @property
    def name(self) -> str:
        return f"{self.path.parent.name}/{self.path.stem}"

    def source(self) -> str:
        """Return the full source of this engine."""
        return self.text if self.whole else splice(self.text, REFERENCE.read_text(encoding="utf-8"), self.name)


def entries(kind: str) -> list[Entry]:
    """Return the engines of the bank, sorted by name: `kind` is "wrong", "right", or "beyond".

    Those in `beyond` are wrong, too, but the 14 tests accept them: it takes generated programs to reject them.
    """
    return [load(path) for path in sorted((BANK / kind).glob("*.py"))]


def load(path: Path) -> Entry:
    """Read one entry. Raises SyntaxError, and SpliceError if what it declares is not a plain value."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    values: dict[str, Any] = {}
    for node in tree.body:
        if name := declared(node):
            try:
                values[name.lower()] = ast.literal_eval(node.value)  # type: ignore[attr-defined]
            except ValueError:
                raise SpliceError(f"{path.name}: {name} must be a plain value") from None
    return Entry(path, text, ast.get_docstring(tree) or "", **values)


def halves(wrong: Iterable[Entry]) -> tuple[list[Entry], list[Entry]]:
    """Return the known half, from which the diagnosis learns, and the held-back half, on which it is tested.

    Of the engines of one belief, sorted by name, the first is known, the second is held back, and so on.
    """
    by_belief: dict[str, list[Entry]] = defaultdict(list)
    for entry in sorted(wrong, key=lambda entry: entry.name):
        by_belief[entry.belief].append(entry)
    groups = [by_belief[belief] for belief in sorted(by_belief, key=_number)]
    return [e for group in groups for e in group[::2]], [e for group in groups for e in group[1::2]]


def _number(belief: str) -> tuple[int, str]:
    """Sorts M2a before M14b."""
    return int("".join(filter(str.isdigit, belief)) or 0), belief
