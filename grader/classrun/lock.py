"""One grading at a time in a folder. The lock ends with its process, so a kill -9 leaves nothing to clean up."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from grader.errors import GraderError


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Hold the folder. Raises GraderError if another grading holds it."""
    process = folder / ".grading.pid"
    try:
        held = FileLock(folder / ".grading.lock").acquire(blocking=False)
    except Timeout:
        holder = process.read_text(encoding="utf-8").strip() if process.exists() else "unknown"
        raise GraderError(
            f"Another grading is running in {folder} (process {holder}). "
            "Wait until it is done, or stop it: nothing is lost, and this command goes on from there."
        ) from None
    with held:
        process.write_text(f"{os.getpid()}\n", encoding="utf-8")
        yield
