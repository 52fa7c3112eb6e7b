"""One engine under examination: runs tests on it, each restart in a new process, and limits the time they take.

Time is allotted by parts (the 14 tests, their variants, one TODO, its diagnosis), so that no part can use up the time
of another. Once a test of a submission has timed out, each later test has less time, so that the grading of five TODOs
that loop ends in reasonable time, too.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import chain, repeat
from types import TracebackType
from typing import Any

from durable_lab.checks.bench import NotStarted
from grader.checker import suite
from grader.checker.proxy import Engine
from grader.checker.rpc.peer import Ended
from grader.checker.suite import Test
from grader.checker.worker_process import Worker

SECONDS = 5.0  # for one test; a right engine takes some hundredths of a second
IN_ALL = 20.0  # seconds for one part
AGAIN = 0.2  # of SECONDS: for one test, once a test of the same submission has timed out
ENOUGH = 20  # times the slowest test that did not time out
LEAST = 0.25  # seconds: a test always has so much, also when the time of its part is used up


class Late(Ended):
    """Time ran out for a test."""


class NotAsked(Ended):
    """Time ran out before a test: it was not run."""


class Patience:
    """The time limit of a test. All engines of one submission share it: it is shorter after a timeout."""

    def __init__(self) -> None:
        self.late, self.slowest = 0, 0.0

    @property
    def seconds(self) -> float:
        """For the next test. On a busy machine every test takes longer, so it depends on those that returned."""
        return min(SECONDS, max(SECONDS * AGAIN, LEAST, self.slowest * ENOUGH)) if self.late else SECONDS


class Examinee:
    """A context manager; `run` runs a test, `fresh` returns the engine's module in a new process.

    isolated  False: the worker has limits, but no sandbox
    shown     False: tracebacks cannot quote the source, because parts of it are the reference implementation
    patience  shared by all engines of one submission
    worker    returns the sandbox that the engines of one submission use, one after the other; None: one of its own
    """

    def __init__(
        self,
        source: str,
        *,
        isolated: bool = True,
        shown: bool = True,
        patience: Patience | None = None,
        worker: Callable[[], Worker] | None = None,
    ) -> None:
        self.source, self._isolated, self._shown = source, isolated, shown
        self._patience, self._shared = patience or Patience(), worker
        self._worker: Worker | None = None
        self._started = False  # whether the process in the worker is one of this engine
        self._broken: BaseException | None = None  # why it cannot be imported: it is not tried twice
        self._imports = False
        self._test_until: float | None = None  # when the time of the running test ends, over all its processes
        self.part()

    def part(self, share: float = 1.0, lives: int | None = None) -> None:
        """Begin a part of the examination.

        share  of IN_ALL: the seconds that this part may take
        lives  so many tests may time out; those after them are not run, nor any once the seconds are used up.
               None: all are run, if only for LEAST
        """
        self._until, self._lives = time.monotonic() + share * IN_ALL, lives

    def run(self, test: Test, *extra: Any) -> BaseException | None:
        """Run the test. Returns None if it passes, else what it raised; Late or NotAsked if time ran out."""
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
            return Late("the engine did not return")
        if not isinstance(error, Ended):
            self._patience.slowest = max(self._patience.slowest, time.monotonic() - begun)
        return error

    def begin(self) -> Engine:
        """The module for a new test, in the running process if there is one; all earlier handles are forgotten.

        Raises as `fresh` does. A process takes some milliseconds to start, so that only a restart has a new one.
        """
        return self._module(restart=False)

    def fresh(self) -> Engine:
        """The module in a new process; the last one is ended. Raises what its import raises, Ended, or NotStarted."""
        return self._module(restart=True)

    def _module(self, restart: bool) -> Engine:
        if self._test_until is None:
            self._was_late()
        if self._broken is not None:
            raise self._broken
        seconds = self._seconds() if self._test_until is None else self._test_until - time.monotonic()
        if self._worker is None:
            self._worker = self._shared() if self._shared else Worker(isolated=self._isolated)
        worker, begun = self._worker, time.monotonic()
        worker.seconds = max(seconds, 0.0)
        try:
            if self._started and worker.up and not restart:
                return worker.again()
            self._started = True
            module = worker.start(self.source, self._shown)
            self._imports = True
            return module
        except BaseException as error:
            if not self._imports and not isinstance(error, (KeyboardInterrupt, NotStarted)):
                self._broken = Late("the engine did not return from its import") if self._was_late() else error
                raise self._broken from None
            raise
        finally:
            started = max(worker.began - begun, 0.0)  # the time this machine needed, which does not count
            self._until += started
            if self._test_until is not None:
                self._test_until += started

    def _seconds(self) -> float:
        """The time limit of the next test. Raises NotAsked."""
        used_up = time.monotonic() > self._until
        if self._lives is not None and (used_up or self._lives <= 0):
            raise NotAsked("time ran out before this test")
        return LEAST if used_up else self._patience.seconds

    def _was_late(self) -> bool:
        """Whether the last process timed out. Each timeout is counted once."""
        if self._worker is None or not self._started or not self._worker.late:
            return False
        self._worker.late = False
        self._patience.late += 1
        if self._lives is not None:
            self._lives -= 1
        return True

    def close(self) -> None:
        if self._worker and not self._shared:
            self._worker.close()
        self._worker = None

    def __enter__(self) -> Examinee:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
