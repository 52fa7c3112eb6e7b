"""The rubric in weights.toml: read once, and checked before anything is graded."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from durable_lab.todos import all_todos
from grader.errors import GraderError
from grader.report import Part, Report

COULD_NOT = "could not be graded"
WEIGHTS = Path(__file__).with_name("weights.toml")
TOTAL = 100  # points, without those given by a person
_KEYS = {
    "todo": tuple(str(number) for number in sorted(all_todos())),
    "whole": ("points",),
    "lessons": ("questions", "predictions"),
    "hidden": ("seed",),
    "manual": ("essay",),
}
_COUNTED = ("todo", "whole", "lessons")


class RubricError(GraderError):
    """weights.toml cannot be used. The message names the file, the key, and what is allowed."""


@cache
def weights() -> dict[str, Any]:
    """The table: "todo" by number (a string), "whole", "lessons", "manual", and the "hidden" tests' seed.

    Raises RubricError.
    """
    return read(WEIGHTS)


def read(path: Path) -> dict[str, Any]:
    """The table in this file. Raises RubricError if anything in it is missing, unknown or of the wrong kind."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RubricError(f"{path}: {error.strerror}. Nothing can be graded without this file.") from None
    except ValueError as error:  # TOMLDecodeError and UnicodeDecodeError are subclasses
        raise RubricError(f"{path} is not TOML: {error}. Correct it, or restore it from the repository.") from None
    _expect_keys(path, "", table, _KEYS)
    for name, keys in _KEYS.items():
        if not isinstance(table[name], dict):
            raise RubricError(f"{path}: {name} is {table[name]!r:.60}, but must be a table: [{name}].")
        _expect_keys(path, f"[{name}] ", table[name], keys)
        for key in keys:
            _expect_value(path, f"[{name}] {key}", table[name][key], text=name == "hidden")
    total = sum(table[name][key] for name in _COUNTED for key in _KEYS[name])
    if not math.isclose(total, TOTAL):
        raise RubricError(
            f"{path}: the points of {', '.join(f'[{name}]' for name in _COUNTED)} add up to {total:g}. "
            f"They must add up to {TOTAL}; [manual] comes on top."
        )
    return table


def _expect_keys(path: Path, where: str, table: dict[str, Any], keys: Iterable[str]) -> None:
    allowed = ", ".join(keys)
    for key in keys:
        if key not in table:
            raise RubricError(f"{path}: {where}{key} is missing. Needed: {allowed}.")
    for key in table:
        if key not in keys:
            raise RubricError(f"{path}: {where}{key:.60} is not known. Allowed: {allowed}.")


def _expect_value(path: Path, where: str, value: Any, text: bool) -> None:
    if text:
        if not isinstance(value, str) or not value:
            raise RubricError(f"{path}: {where} is {value!r:.60}, but must be a string that is not empty.")
    elif isinstance(value, bool) or not isinstance(value, (int, float)):
        raise RubricError(f"{path}: {where} is {value!r:.60}, but must be a number of points.")
    elif not 0 <= value < math.inf:
        raise RubricError(f"{path}: {where} is {value}, but points must be 0 or more, and finite.")


def without_points(student: str, why: str, isolated: bool = True) -> Report:
    """A report with 0 for every part of the rubric. `why` is a sentence for the student and the instructor."""
    table = weights()
    out_of = {
        **{f"TODO {number}": table["todo"][str(number)] for number in all_todos()},
        "whole engine": table["whole"]["points"],
        **table["lessons"],
    }
    parts = tuple(Part(name, 0.0, float(points), COULD_NOT) for name, points in out_of.items())
    return Report(student, parts, refusals=(why,), isolated=isolated)
