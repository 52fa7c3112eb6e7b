"""What a worker process is started with."""

from __future__ import annotations

from dataclasses import dataclass

from grader.report import Source


@dataclass(frozen=True)
class Setting:
    """The same for all submissions of a class. It crosses to the worker as JSON."""

    store: str  # the path of the store
    folder: str  # the submissions' paths begin here
    grade: str  # the function that grades one, "package.module:function"
    isolated: bool = True
    source: Source = "notebooks"
