"""One engine under examination: its source, and a new process with it whenever one is asked for."""

from __future__ import annotations

import time
from types import TracebackType

from grader.checker.peer import Ended, NotStarted
from grader.checker.remote import Engine
from grader.checker.worker_process import Worker

SECONDS = 5.0  # for one process
IN_ALL = 20.0  # for one engine and everything that is asked of it


class Examinee:
    """A context manager; `fresh` gives the engine's module in a new process.

    isolated  False: the worker has limits, but no sandbox
    shown     False: the source has parts of the reference in it, and cannot be quoted by its own tracebacks
    """

    def __init__(self, source: str, *, isolated: bool = True, shown: bool = True) -> None:
        self.source, self._isolated, self._shown = source, isolated, shown
        self._worker: Worker | None = None
        self._broken: BaseException | None = None  # it cannot be imported: once is enough to know
        self._imports = False
        self._until = time.monotonic() + IN_ALL

    def fresh(self) -> Engine:
        """The module in a new process: the one before is over. Raises what its import raises, Ended, or NotStarted."""
        if self._broken is not None:
            raise self._broken
        if time.monotonic() > self._until:
            raise Ended(f"after {IN_ALL:g} seconds in all it was not asked any more")
        if self._worker is None:
            self._worker = Worker(isolated=self._isolated, seconds=SECONDS, shown=self._shown)
        try:
            module = self._worker.start(self.source)
            self._imports = True
            return module
        except BaseException as error:
            if not self._imports and not isinstance(error, (KeyboardInterrupt, NotStarted)):
                self._broken = error
            raise

    def close(self) -> None:
        if self._worker:
            self._worker.close()
        self._worker = None

    def __enter__(self) -> Examinee:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
