"""Run the 14 tests on many engines, quickly: one warm process, and a fork of it for every engine.

A fork has all imports done and shares nothing with the next one, so an engine costs 0.1 s where a fresh pytest takes
1.2 s. It serves the bank, whose engines we know; it is no sandbox.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from durable_lab import processes
from durable_lab.study import ROOT

TESTS = ROOT / "tests" / "lab"
SECONDS = 40  # for one engine and all its tests; then it is killed
SECONDS_A_TEST = 1.5  # instead of the 5 that a student has: the bank's engines loop on purpose
SECONDS_ONCE_MORE = 0.7  # after it did not come back in one of them
_PYTEST = [str(TESTS), "-q", "-p", "pytest_timeout"]


@dataclass(frozen=True)
class Verdict:
    """What the 14 tests say of one engine: test -> its failure message, or "". `ended` is "", or why there is none."""

    tests: dict[str, str] = field(default_factory=dict)
    ended: str = ""

    @property
    def failed(self) -> dict[str, str]:
        return {name: message for name, message in self.tests.items() if message}


class Judge:
    """The warm process, as a context manager: `with Judge() as judge: judge.verdict(source, folder)`."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds

    def __enter__(self) -> Judge:
        env = processes.environment(LAB_MODULE="solution", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
        pipe = subprocess.PIPE
        command = processes.command("grader.dev.bank.judge_process", str(self.seconds))
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, encoding="utf-8", cwd=ROOT, env=env)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._process.communicate()  # closes its input: it ends by itself

    def verdict(self, source: str, folder: Path) -> Verdict:
        """The verdict on one engine. `folder` becomes a workspace with this engine as `lab/engine.py`."""
        workspace(source, folder)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{folder}\n")
        self._process.stdin.flush()
        return Verdict(**json.loads(self._process.stdout.readline()))


def workspace(source: str, folder: Path) -> None:
    """A folder for LAB_WORKSPACE: a `lab/` with this engine in it."""
    package = folder / "lab"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "engine.py").write_text(source, encoding="utf-8")


class _Reports:
    """A pytest plugin that keeps the outcome of each test."""

    def __init__(self) -> None:
        self.tests: dict[str, str] = {}
        self._items: list[Any] = []

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        self._items = items

    def pytest_runtest_makereport(self, call: Any) -> None:
        """Before the report is made, which is left to the others."""
        _shorten(call.excinfo.value if call.excinfo else None)

    def pytest_runtest_logreport(self, report: Any) -> None:
        name = report.nodeid.partition("::")[2]
        if report.failed:
            self._hurry(report)
            kind = "" if report.when == "call" else f"error in {report.when}: "
            self.tests[name] = kind + (str(getattr(report.longrepr, "text", report.longrepr)) or "failed")
        elif report.when == "call":
            self.tests[name] = ""

    def _hurry(self, report: Any) -> None:
        """An engine that did not come back once will do so again: the other tests need not wait as long for it."""
        import pytest

        if "did not come back" in str(getattr(report.longrepr, "text", "")):
            for item in self._items:
                item.add_marker(pytest.mark.timeout(SECONDS_ONCE_MORE, func_only=True), append=False)


def _shorten(error: BaseException | None) -> None:
    """Cut long tracebacks. An error that a loop raised again and again has thousands of lines, and pytest reads each of
    them several times.
    """
    while error is not None:
        lines = []
        traceback = error.__traceback__
        while traceback is not None:
            lines.append(traceback)
            traceback = traceback.tb_next
        if len(lines) > 200:
            lines[100].tb_next = lines[-100]
        error = error.__cause__ or error.__context__


def serve(seconds: float) -> None:
    """In the warm process: read a folder a line, write a verdict a line. An engine that takes longer is killed."""
    import pytest

    from durable_lab.checks import plugin

    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what pytest and the engines print is not for the pipe
    pytest.main([*_PYTEST, "--collect-only"])  # warm: imports all, and no engine
    gc.collect()
    gc.freeze()  # a fork's collector need not look at what was there before
    plugin.SECONDS = SECONDS_A_TEST  # type: ignore[assignment]
    for line in sys.stdin:
        answers.write(json.dumps(_fork(Path(line.strip()), seconds)) + "\n")
        answers.flush()


def _fork(folder: Path, seconds: float) -> dict[str, Any]:
    out = folder / "verdict.json"
    child = os.fork()
    if child == 0:
        _run(folder, out)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            made: dict[str, Any] = json.loads(out.read_text(encoding="utf-8")) if out.is_file() else {}
            return {**made, "ended": "" if code in (0, 1) and made else f"pytest ended with code {code}"}
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return {"ended": f"killed after {seconds:g} seconds"}


def _run(folder: Path, out: Path) -> None:
    """In the child: run the tests, write what they said, and be gone."""
    import pytest

    code = 70
    try:
        os.environ.update(LAB_MODULE="lab", LAB_WORKSPACE=str(folder))
        os.chdir(folder)
        reports = _Reports()
        code = int(pytest.main([*_PYTEST, f"--rootdir={ROOT}"], plugins=[reports]))
        out.write_text(json.dumps({"tests": reports.tests}), encoding="utf-8")
    finally:
        os._exit(code)
