"""The names that a course is built from. It imports nearly nothing: nbgrader reads its settings at every click."""

from __future__ import annotations

import re
from pathlib import Path

from durable_lab.todos import SKELETON

ASSIGNMENT = "lab-01"
EXCHANGE = "exchange"  # the folder in the course that is shared, where no other one is named
STUDENT = re.compile(r"\w(?:[\w.@ -]{0,98}[\w@-])?")  # a name that a path, a pattern and a page can hold as it is


PATTERN = set("*?[]{}")


def unusable(folder: Path) -> str:
    """Why nbgrader cannot work in a folder of this path, as a sentence; empty if it can."""
    odd = "".join(sorted(PATTERN.intersection(str(folder))))
    return odd and f"{folder}: nbgrader takes {odd} in a path for a pattern. Rename the folder, or use another one."


def beside() -> list[str]:
    """The files that students need beside the notebooks, by their path: the lab as it is handed out."""
    return sorted(f"lab/{path.name}" for path in SKELETON.glob("*.py"))
