"""The judge's warm process, `grader.dev.bank.judge_process SECONDS`: reads folders, and writes a verdict for each."""

from __future__ import annotations

import gc
import json
import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from durable_lab.checks import plugin
from durable_lab.checks.runner import TESTS
from durable_lab.study import ROOT
from grader.dev.bank.fork import ForkEnded, in_fork

SECONDS_A_TEST = 1.5  # instead of the 5 that a student has: the bank's engines loop on purpose
SECONDS_AFTER_A_TIMEOUT = 0.7  # for each test after one that timed out
_PYTEST = [str(TESTS), "-q", "-p", "pytest_timeout"]


class Reports:
    """A pytest plugin that keeps the outcome of each test."""

    def __init__(self) -> None:
        self.tests: dict[str, str] = {}
        self._items: list[Any] = []

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        self._items = items

    def pytest_runtest_makereport(self, call: Any) -> None:
        """Prepare the report, which other plugins make."""
        _shorten_tracebacks(call.excinfo.value if call.excinfo else None)

    def pytest_runtest_logreport(self, report: Any) -> None:
        name = report.nodeid.partition("::")[2]
        if report.failed:
            message = str(getattr(report.longrepr, "text", report.longrepr)) or "failed"
            self.tests[name] = message if report.when == "call" else f"error in {report.when}: {message}"
            if "did not return" in message:  # this engine will do so again
                for item in self._items:
                    item.add_marker(pytest.mark.timeout(SECONDS_AFTER_A_TIMEOUT, func_only=True), append=False)
        elif report.when == "call":
            self.tests[name] = ""


def _shorten_tracebacks(error: BaseException | None) -> None:
    """Cut long tracebacks. If a loop raised an error again and again, its traceback has thousands of lines, and pytest
    reads each of them several times.
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


def tests_on(folder: Path) -> dict[str, str]:
    """Run the 14 on the engine in this workspace. Raises SystemExit unless pytest ends normally."""
    os.environ.update(LAB_MODULE="lab", LAB_WORKSPACE=str(folder))
    os.chdir(folder)
    reports = Reports()
    code = int(pytest.main([*_PYTEST, f"--rootdir={ROOT}"], plugins=[reports]))
    if code not in (0, 1):
        raise SystemExit(code)
    return reports.tests


def main(seconds: float) -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what pytest prints is not for the pipe
    pytest.main([*_PYTEST, "--collect-only"])  # imports everything that a run needs, and no engine
    gc.collect()
    gc.freeze()  # a fork's collector need not look at what was there before
    plugin.SECONDS = SECONDS_A_TEST  # type: ignore[assignment]
    for line in sys.stdin:
        try:
            verdict = {"tests": in_fork(partial(tests_on, Path(line.strip())), seconds)}
        except ForkEnded as end:
            verdict = {"ended": str(end)}
        answers.write(json.dumps(verdict) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(float(sys.argv[1]))
