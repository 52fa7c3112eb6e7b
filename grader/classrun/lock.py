"""One grading at a time in a folder. The lock goes with the process: after a kill -9 there is nothing to clean up."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.errors import GraderError

try:
    import fcntl
except ImportError:  # Windows: then only the store sees to it that of two writers one wins
    fcntl = None  # type: ignore[assignment]


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Hold the folder. Raises GraderError where another grading holds it."""
    path = folder / ".grading.lock"
    with path.open("a+", encoding="utf-8") as file:  # not "w": that would empty the other one's
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.seek(0)
                raise GraderError(
                    f"Another grading is at work in {folder} (process {file.read().strip() or 'unknown'}). "
                    "Wait until it is done, or end it: nothing is lost, and this command goes on from there."
                ) from None
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield
