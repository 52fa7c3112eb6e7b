"""One engine under examination: its source, and the worker that holds it; a new worker where the last one was lost."""

from __future__ import annotations

import time
from types import TracebackType

from grader.checker.peer import Ended, NotStarted
from grader.checker.remote import Engine
from grader.checker.worker_process import Worker

SECONDS = 5.0  # for one test
IN_ALL = 20.0  # for one engine and everything that is asked of it


class Examinee:
    """A context manager; `fresh` gives the engine's module for one test.

    isolated  False: the worker has limits, but no sandbox
    """

    def __init__(self, source: str, *, isolated: bool = True) -> None:
        self.source, self._isolated = source, isolated
        self._worker: Worker | None = None
        self._broken: BaseException | None = None  # it cannot be imported: once is enough to know
        self._until = time.monotonic() + IN_ALL

    def fresh(self) -> Engine:
        """The module, with no handle of an earlier test. Raises what its import raises, Ended, or NotStarted."""
        if self._broken is not None:
            raise self._broken
        if time.monotonic() > self._until:
            raise Ended(f"after {IN_ALL:g} seconds in all it was not asked any more")
        if self._worker is None or self._worker.lost:
            self.close()
            self._worker = Worker(isolated=self._isolated, seconds=SECONDS)
            try:
                self._worker.load(self.source)
            except BaseException as error:
                self._broken = None if isinstance(error, (KeyboardInterrupt, NotStarted)) else error
                raise
        return self._worker.engine()

    def close(self) -> None:
        if self._worker:
            self._worker.close()
        self._worker = None

    def __enter__(self) -> Examinee:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
