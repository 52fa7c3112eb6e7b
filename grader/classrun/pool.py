"""Worker processes, one a core: each gets a run, and the next when it has answered. Whatever they do, it goes on."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from durable_lab import processes
from durable_lab.study import ROOT
from grader.classrun.settings import Setting
from grader.errors import GraderError

SECONDS = 300  # for one submission. The checker has a shorter deadline of its own: this one is for what it overlooks
DEATHS = 2  # a submission that so many workers died of is given up


@dataclass(frozen=True)
class Ended:
    """How a run ended. `error` is empty where it completed; `died` where it took its workers along instead."""

    run: str
    error: str = ""
    died: bool = False


class _Worker:
    """One process and what it is at work on."""

    def __init__(self, command: list[str], log: IO[bytes], env: dict[str, str]) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=log, env=env, cwd=ROOT, start_new_session=True
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.orders, self.answers = self.process.stdin, self.process.stdout
        self.order: tuple[str, str] | None = None
        self.until = time.monotonic() + SECONDS
        self._heard = b""

    def give(self, order: tuple[str, str], seconds: float) -> None:
        self.order, self.until = order, time.monotonic() + seconds
        with suppress(BrokenPipeError):  # it has died already; its end will be seen
            self.orders.write(json.dumps(order).encode() + b"\n")
            self.orders.flush()

    def hear(self) -> tuple[list[dict[str, Any]], bool]:
        """The answers that have come, and whether more may come."""
        data = os.read(self.answers.fileno(), 65536)
        *lines, self._heard = (self._heard + data).split(b"\n")
        return [json.loads(line) for line in lines], bool(data)

    def farewell(self) -> str:
        """How it went, where nobody told it to go."""
        try:
            code = self.process.wait(5)
        except subprocess.TimeoutExpired:
            return "did not answer any more"
        return f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"

    def end(self) -> None:
        """Kill it with all that it has started, and wait for its end."""
        with suppress(ProcessLookupError, PermissionError):  # the second: macOS, of one that has ended
            os.killpg(self.process.pid, signal.SIGKILL)
        with self.process, suppress(BrokenPipeError):
            pass  # closes the pipes


class Pool:
    """A context manager. `ended(orders)` yields as the runs end, in any order. Leaving it kills what is at work."""

    def __init__(self, setting: Setting, jobs: int, log: Path, seconds: float = SECONDS) -> None:
        self._command = processes.command("grader.classrun.worker", json.dumps(asdict(setting)))
        self._jobs, self._log, self._seconds = jobs, log, seconds
        self._deaths: Counter[str] = Counter()

    def __enter__(self) -> Pool:
        self._workers: list[_Worker] = []
        self._watch = selectors.DefaultSelector()
        self._file = self._log.open("ab")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for worker in self._workers:
            worker.end()
        self._watch.close()
        self._file.close()
        if not self._log.stat().st_size:
            self._log.unlink()

    def ended(self, orders: Iterable[tuple[str, str]]) -> Iterator[Ended]:
        """Work on (run, path of the folder) pairs. Raises GraderError where workers cannot start or the store fails."""
        self._waiting = deque(orders)
        for _ in range(min(self._jobs, len(self._waiting))):
            self._start()
        while self._workers:
            now = time.monotonic()
            first = min(worker.until for worker in self._workers)
            for key, _ in self._watch.select(max(first - now, 0)):
                yield from self._hear(key.data)
            for worker in [w for w in self._workers if w.until <= time.monotonic()]:
                yield from self._lost(worker, f"was not done after {self._seconds:g} seconds")

    def _start(self) -> None:
        worker = _Worker(self._command, self._file, processes.environment())
        self._workers.append(worker)
        self._watch.register(worker.answers, selectors.EVENT_READ, worker)

    def _hear(self, worker: _Worker) -> Iterator[Ended]:
        answers, more = worker.hear()
        for answer in answers:
            if "cannot" in answer:
                raise GraderError(f"The grader cannot start: {answer['cannot']}. See {self._log}.")
            if answer.get("status") == "store":
                raise GraderError(answer["error"])
            if worker.order is not None:
                yield Ended(worker.order[0], answer["error"] or "")
            self._next(worker)  # "ready", or it has just answered
        if not more and worker in self._workers:
            yield from self._lost(worker, worker.farewell())

    def _next(self, worker: _Worker) -> None:
        if self._waiting:
            worker.give(self._waiting.popleft(), self._seconds)
        else:
            self._leave(worker)

    def _leave(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        self._watch.unregister(worker.answers)
        worker.end()

    def _lost(self, worker: _Worker, why: str) -> Iterator[Ended]:
        """A worker is gone, or has to go. What it was at work on is tried once more, then given up."""
        order = worker.order
        self._leave(worker)
        if order is None:
            raise GraderError(f"The grader cannot start: a worker {why}. See {self._log}.")
        self._deaths[order[0]] += 1
        if self._deaths[order[0]] < DEATHS:
            self._waiting.append(order)
        else:
            yield Ended(order[0], f"the process that graded it {why}, twice", died=True)
        if self._waiting:
            self._start()
