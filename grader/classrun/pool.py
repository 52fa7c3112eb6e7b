"""Worker processes, one a core. One that dies or hangs is replaced, and the other submissions are graded all the same.

Not pebble's or multiprocessing's pool: their workers get the user's PYTHON* variables, work on after a kill -9 of the
parent, and leave what they started behind when a time limit stops them.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock, Timer
from typing import IO, Any

from durable_lab import processes
from durable_lab.study import ROOT
from grader.classrun.worker import Setting
from grader.errors import GraderError

SECONDS = 300  # for one submission. The checker has a shorter time limit of its own; this one is for the rest
ATTEMPTS = 2  # workers that a submission may cost before it is given up


@dataclass(frozen=True)
class Ended:
    """A run that has ended. `lost` says why no worker survived it; its outcome is not recorded then."""

    run: str
    lost: str = ""


def run_all(
    orders: Iterable[tuple[str, str]], setting: Setting, jobs: int, log: Path, seconds: float = SECONDS
) -> Generator[Ended, None, None]:
    """Give each (run, path of the folder) to a worker, and yield as they end, in any order. Closing it kills all.

    Raises GraderError if workers cannot start or the store fails.
    """
    with log.open("ab") as file:
        pool = _Pool(setting, jobs, file, seconds)
        try:
            for future in as_completed([pool.threads.submit(pool.run, *order) for order in orders]):
                yield future.result()
        finally:
            pool.close()
            if not log.stat().st_size:
                log.unlink()


class _Pool:
    """The workers, each used by one thread at a time."""

    def __init__(self, setting: Setting, jobs: int, log: IO[bytes], seconds: float) -> None:
        self._command = processes.command("grader.classrun.worker", json.dumps(asdict(setting)))
        self._log, self._seconds = log, seconds
        self.threads = ThreadPoolExecutor(jobs)
        self._idle: deque[_Worker] = deque()
        self._all: set[_Worker] = set()
        self._lock, self._closed = Lock(), False

    def run(self, run: str, path: str) -> Ended:
        """Give this run to a worker, and to another one if that is lost."""
        lost = ""
        for _ in range(ATTEMPTS):
            worker = self._idle.pop() if self._idle else self._start()
            answer = worker.ask([run, path], self._seconds)
            if "problem" in answer:
                raise GraderError(answer["problem"])
            if "lost" not in answer:
                self._idle.append(worker)
                return Ended(run)
            lost = answer["lost"]
            with self._lock:
                self._all.remove(worker)
        return Ended(run, f"the process that graded it {lost}, twice")

    def _start(self) -> _Worker:
        with self._lock:  # so that `close` sees every worker
            if self._closed:
                raise GraderError("The grading was stopped.")
            worker = _Worker(self._command, self._log)
            self._all.add(worker)
        answer = worker.ask(None, SECONDS)
        if "ready" not in answer:
            why = answer.get("problem") or f"a worker {answer['lost']}"
            raise GraderError(f"The grader cannot start: {why}. See {self._log.name}.")
        return worker

    def close(self) -> None:
        """Kill all workers, and wait for their ends."""
        self.threads.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            self._closed = True
            for worker in self._all:
                worker.kill()
        self.threads.shutdown()
        for worker in self._all:
            worker.end()


class _Worker:
    """A process in a session of its own that reads and writes lines of JSON."""

    def __init__(self, command: list[str], log: IO[bytes]) -> None:
        pipe, env = subprocess.PIPE, processes.environment()
        self._process = subprocess.Popen(
            command, bufsize=0, stdin=pipe, stdout=pipe, stderr=log, env=env, cwd=ROOT, start_new_session=True
        )
        self._late = False

    def ask(self, order: list[str] | None, seconds: float) -> dict[str, Any]:
        """Send the order, if there is one, and return the answer; "lost" says how the process ended without one."""
        timer = Timer(seconds, self._stop)
        timer.start()
        try:
            if order and self._process.stdin:
                self._process.stdin.write(json.dumps(order).encode() + b"\n")
            line = self._process.stdout.readline() if self._process.stdout else b""
        except BrokenPipeError:
            line = b""
        finally:
            timer.cancel()
        if line.endswith(b"\n"):
            answer: dict[str, Any] = json.loads(line)
            return answer
        if self._late:
            self.end()
            return {"lost": f"was not done after {seconds:g} seconds"}
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(5)  # its output ended, so it is about to exit
        code = self.end()
        return {"lost": f"was killed by signal {-code}" if code < 0 else f"exited with code {code}"}

    def _stop(self) -> None:
        self._late = True
        self.kill()

    def kill(self) -> None:
        """Kill it with all processes that it started."""
        with suppress(ProcessLookupError, PermissionError):  # the second: macOS, if it has exited
            os.killpg(self._process.pid, signal.SIGKILL)

    def end(self) -> int:
        """Kill it, close its pipes, and return its exit code."""
        self.kill()
        with self._process:
            return self._process.wait()
