"""The names that a course is built from. It imports nearly nothing: nbgrader reads its settings at every click."""

from __future__ import annotations

import re

from durable_lab.todos import SKELETON

ASSIGNMENT = "lab-01"
EXCHANGE = "exchange"  # the folder in the course that is shared, where no other one is named
STUDENT = re.compile(r"\w(?:[\w.@ -]{0,98}[\w@-])?")  # a name that a path, a pattern and a page can hold as it is


def beside() -> list[str]:
    """The files that students need beside the notebooks, by their path: the lab as it is handed out."""
    return sorted(f"lab/{path.name}" for path in SKELETON.glob("*.py"))
