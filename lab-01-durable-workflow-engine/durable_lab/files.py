"""Changing a student's file so that nothing is lost: a backup first, and never half a file."""

from __future__ import annotations

import os
from itertools import count
from pathlib import Path


def keep(path: Path, text: str) -> Path:
    """Put `text` into a new backup beside `path`. Returns the backup. Raises OSError."""
    names = (path.with_name(f"{path.name}.backup-{i}") for i in count(1))
    backup = next(name for name in names if not name.exists())
    backup.write_text(text, encoding="utf-8")
    return backup


def rewrite(path: Path, text: str) -> None:
    """Replace the file's text at once: on a full disk the old text stays. Raises OSError."""
    draft = path.with_name(f".{path.name}.draft")
    try:
        draft.write_text(text, encoding="utf-8")
        os.replace(draft, path)  # noqa: PTH105 - the name says what it does
    finally:
        draft.unlink(missing_ok=True)
