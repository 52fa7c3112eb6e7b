"""Run public and hidden tests on many engines, quickly and in a fork each: engines of the bank loop on purpose.

`python tests/hidden/runner.py` measures all engines of the bank and the fitted ones; `--help` says with what.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import signal
import subprocess
import sys
import time
import types
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from durable_lab.checks.bench import Bench
from durable_lab.study import ROOT
from grader.checker import suite
from grader.checker.hidden import load as hidden_tests
from grader.checker.hidden import seed_for
from grader.dev.bank import Entry, entries, load

FITTED = Path(__file__).with_name("fitted")
SECONDS = 1.0  # for one test, by the clock on the wall: some engines really sleep
CPU_SECONDS = 0.25  # and by its own work: some never end
PATIENCE = 30  # for one engine; then it is killed
Job = tuple[str, str]  # a test's name and a course; the public test has the course ""


class TookTooLong(BaseException):
    """The engine does not return."""


def module_of(source: str) -> types.ModuleType:
    """The engine as a module."""
    module = types.ModuleType("engine_under_test")
    sys.modules[module.__name__] = module  # dataclasses look there
    exec(compile(source, "engine_under_test", "exec"), vars(module))
    return module


class Runner:
    """The warm process, as a context manager: `with Runner() as run: run(source, jobs)`."""

    def __enter__(self) -> Runner:
        pipe = subprocess.PIPE
        env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "lab-01-durable-workflow-engine")])}
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--serve"], stdin=pipe, stdout=pipe, text=True, cwd=ROOT, env=env
        )
        return self

    def __exit__(self, *problem: object) -> None:
        self._process.communicate()  # closes its input: it ends by itself

    def __call__(self, source: str, jobs: Iterable[Job], only_first: bool = False) -> list[str]:
        """What each test says: "" where the engine passes. With `only_first`, none behind the first that fails."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([source, list(jobs), only_first]) + "\n")
        self._process.stdin.flush()
        said: list[str] = json.loads(self._process.stdout.readline())
        return said


def serve() -> None:
    """In the warm process: a line for an engine and its tests, a line for what they say."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what engines print is not for the pipe
    tests = ({test.name: test.function for test in suite.public()}, hidden_tests())
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        source, jobs, only_first = json.loads(line)
        answers.write(json.dumps(_fork(tests, source, jobs, only_first)) + "\n")
        answers.flush()


def _fork(tests: Any, source: str, jobs: list[Job], only_first: bool) -> list[str]:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        _run(tests, source, jobs, only_first, write)
    os.close(write)
    os.set_blocking(read, False)
    until, text = time.monotonic() + PATIENCE, b""
    while time.monotonic() < until:
        done, _ = os.waitpid(child, os.WNOHANG)
        while True:
            try:
                part = os.read(read, 65536)
            except BlockingIOError:
                break
            text += part
            if not part:
                break
        if done:
            break
        time.sleep(0.002)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    os.close(read)
    said = [json.loads(line) for line in text.decode().splitlines()]
    return said if len(said) == len(jobs) or (only_first and said and said[-1]) else [*said, "it had to be killed"]


def _run(tests: Any, source: str, jobs: list[Job], only_first: bool, write: int) -> None:
    """In the child: run the tests, write their results, and exit."""
    try:
        for name, course in jobs:
            said = _said(lambda n=name, c=course: _once(tests, lambda: module_of(source), n, c))  # type: ignore[misc]
            os.write(write, json.dumps(said).encode() + b"\n")
            if said and only_first:
                break
    finally:
        os._exit(0)


def _once(tests: Any, fresh: Callable[[], types.ModuleType], name: str, course: str) -> None:
    public, hidden = tests
    if course:
        hidden[name](Bench(fresh), seed_for(name, course))
    else:
        public[name](Bench(fresh))


def _said(test: Callable[[], None]) -> str:
    def stop(number: int, frame: object) -> None:
        raise TookTooLong(f"no answer after {SECONDS} seconds")

    signal.signal(signal.SIGALRM, stop)
    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS, SECONDS)
    signal.setitimer(signal.ITIMER_VIRTUAL, CPU_SECONDS, CPU_SECONDS)
    try:
        test()
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return ""


def measure(run: Runner, kind: str, seeds: int, verbose: bool) -> None:
    """Print with how many seeds each engine of a kind (right, wrong, fitted) passes all hidden tests."""
    names = [*hidden_tests()]
    for entry in fitted() if kind == "fitted" else entries(kind):
        passed = []
        for k in range(seeds):
            said = run(entry.source(), [(name, f"seed {k}") for name in names], only_first=kind != "right")
            failed = {name: text for name, text in zip(names, said, strict=False) if text}
            passed += [] if failed else [k]
            if failed and (verbose or kind == "right"):
                print(*(f"  seed {k}: {name}\n{text}" for name, text in failed.items()), sep="\n")
        alarm = (len(passed) < seeds) if kind == "right" else bool(passed)
        print(f"{kind}/{entry.path.stem}: passes with {len(passed)} of {seeds}{' <- look at it' if alarm else ''}")


def fitted() -> list[Entry]:
    """Engines that are made for the 14 tests and for nothing else."""
    return [load(path) for path in sorted(FITTED.glob("*.py"))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--verbose", action="store_true", help="say what failed")
    parser.add_argument("kinds", nargs="*", default=["right", "wrong", "fitted"])
    options = parser.parse_args()
    if options.serve:
        return serve()
    with Runner() as run:
        for kind in options.kinds:
            measure(run, kind, options.seeds, options.verbose)


if __name__ == "__main__":
    main()
