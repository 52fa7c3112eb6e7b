"""The names in a course. This module imports little, because nbgrader reads its settings at every click."""

from __future__ import annotations

import re
from pathlib import Path

from durable_lab.todos import SKELETON

ASSIGNMENT = "lab-01"
EXCHANGE = "exchange"  # the shared folder in the course, if no other one is named
STUDENT = re.compile(r"\w(?:[\w.@ -]{0,98}[\w@-])?")  # a name that needs no escaping in a path, a pattern or a page
PATTERN = set("*?[]{}")


def unusable(folder: Path) -> str:
    """Return why nbgrader cannot work in a folder of this path; empty if it can."""
    odd = "".join(sorted(PATTERN.intersection(str(folder))))
    return odd and f"{folder}: nbgrader takes {odd} in a path for a pattern. Rename the folder, or use another one."


def beside() -> list[str]:
    """Return the paths of the files that students need beside the notebooks."""
    return sorted(f"lab/{path.name}" for path in SKELETON.glob("*.py"))
