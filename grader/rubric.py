"""The rubric as its file has it, weights.toml."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

WEIGHTS = Path(__file__).with_name("weights.toml")


@cache
def weights() -> dict[str, Any]:
    """The table: "todo" by number (text), "whole", "lessons", "manual", and the "hidden" tests' seed."""
    return tomllib.loads(WEIGHTS.read_text(encoding="utf-8"))
