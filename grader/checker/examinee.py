"""One engine under examination: its source, a new process with it whenever one is asked for, and how long it may take.

Time is given out by parts (the 14 tests, their variants, one TODO, its diagnosis), so that one part cannot use up the
time of another. A hand-in that did not come back from one test has less time for each of the following ones, so that
five TODOs that loop have an end, too.
"""

from __future__ import annotations

import time
from itertools import chain, repeat
from types import TracebackType
from typing import Any

from durable_lab.checks.bench import NotStarted
from grader.checker import suite
from grader.checker.peer import Ended
from grader.checker.remote import Engine
from grader.checker.suite import Test
from grader.checker.worker_process import Worker

SECONDS = 5.0  # for one test; a right engine takes some hundredths of a second
IN_ALL = 20.0  # for one part
AGAIN = 0.2  # of the seconds above: for one test, once a test of the same hand-in has ended by time
ENOUGH = 20  # times the slowest test that came back
LEAST = 0.25  # seconds: a test always has so much, also when the time of its part is used up


class Late(Ended):
    """Time ran out for a test."""


class NotAsked(Ended):
    """Time ran out before a test: it was not run."""


class Patience:
    """How often a hand-in has not come back, over all engines that are made of it, and how long the others took."""

    def __init__(self) -> None:
        self.late, self.slowest = 0, 0.0

    @property
    def seconds(self) -> float:
        """For the next test. On a busy machine every test takes longer, so this goes by those that came back."""
        return min(SECONDS, max(SECONDS * AGAIN, LEAST, self.slowest * ENOUGH)) if self.late else SECONDS


class Examinee:
    """A context manager; `run` runs a test, `fresh` gives the engine's module in a new process.

    isolated  False: the worker has limits, but no sandbox
    shown     False: the source has parts of the reference in it, and cannot be quoted by its own tracebacks
    patience  shared by all engines of one hand-in
    """

    def __init__(
        self, source: str, *, isolated: bool = True, shown: bool = True, patience: Patience | None = None
    ) -> None:
        self.source, self._isolated, self._shown = source, isolated, shown
        self._patience = patience or Patience()
        self._worker: Worker | None = None
        self._broken: BaseException | None = None  # it cannot be imported: once is enough to know
        self._imports = False
        self._test_until: float | None = None  # the end of the time of the test at hand, however many processes it has
        self.part()

    def part(self, share: float = 1.0, lives: int | None = None) -> None:
        """Begin a part of the examination.

        share  of IN_ALL: the seconds that this part may take
        lives  so many tests may end by time; those after them are not run, nor any once the seconds are used up.
               None: all are run, if only for a moment
        """
        self._until, self._lives = time.monotonic() + share * IN_ALL, lives

    def run(self, test: Test, *extra: Any) -> BaseException | None:
        """The test on this engine: None if it passes, else what it raised; Late or NotAsked if time ran out."""
        begun = time.monotonic()
        try:
            self._test_until = begun + self._seconds()
            first = chain([self.begin], repeat(self.fresh))
            error = suite.run(lambda: next(first)(), [test], *extra)[test.name]
        except NotAsked as why:
            return why
        finally:
            self._test_until = None
        if self._was_late():
            return Late("the engine did not come back")
        if not isinstance(error, Ended):
            self._patience.slowest = max(self._patience.slowest, time.monotonic() - begun)
        return error

    def begin(self) -> Engine:
        """The module for a new test, in the process that is there if there is one, with no handle of an earlier test.

        Raises as `fresh` does. A process costs some milliseconds, so that only a restart has a new one.
        """
        return self._module(restart=False)

    def fresh(self) -> Engine:
        """The module in a new process: the one before is over. Raises what its import raises, Ended, or NotStarted."""
        return self._module(restart=True)

    def _module(self, restart: bool) -> Engine:
        if self._test_until is None:
            self._was_late()
        if self._broken is not None:
            raise self._broken
        seconds = self._seconds() if self._test_until is None else self._test_until - time.monotonic()
        if self._worker is None:
            self._worker = Worker(isolated=self._isolated, shown=self._shown)
        self._worker.seconds = max(seconds, 0.0)
        begun = time.monotonic()
        try:
            module = self._worker.start(self.source) if restart or not self._worker.up else self._worker.again()
            self._imports = True
            return module
        except BaseException as error:
            if not self._imports and not isinstance(error, (KeyboardInterrupt, NotStarted)):
                self._broken = Late("the engine did not come back from its import") if self._was_late() else error
                raise self._broken from None
            raise
        finally:
            started = max(self._worker.began - begun, 0.0)  # that was this machine's time, not the engine's
            self._until += started
            if self._test_until is not None:
                self._test_until += started

    def _seconds(self) -> float:
        """How long the next test may take. Raises NotAsked."""
        used_up = time.monotonic() > self._until
        if self._lives is not None and (used_up or self._lives <= 0):
            raise NotAsked("time ran out before this test")
        return LEAST if used_up else self._patience.seconds

    def _was_late(self) -> bool:
        """Has the last process ended by time? Each is counted once."""
        if self._worker is None or not self._worker.late:
            return False
        self._worker.late = False
        self._patience.late += 1
        if self._lives is not None:
            self._lives -= 1
        return True

    def close(self) -> None:
        if self._worker:
            self._worker.close()
        self._worker = None

    def __enter__(self) -> Examinee:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
