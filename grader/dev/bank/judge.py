"""Run the 14 tests on many engines, quickly: one warm process, and a fork of it for every engine.

A fork has all imports done and shares nothing with the next one, so an engine costs 0.1 s where a fresh pytest takes
1.2 s.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from durable_lab import processes
from durable_lab.study import ROOT

SECONDS = 40  # for one engine and all its tests; then it is killed


@dataclass(frozen=True)
class Verdict:
    """What the 14 tests say of one engine: test -> its failure message, or "". If there is none, `ended` says why."""

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
        self._process.communicate()  # closes its input, so that it exits

    def verdict(self, source: str, folder: Path) -> Verdict:
        """Return the verdict on one engine. `folder` becomes a workspace with this engine as `lab/engine.py`."""
        workspace(source, folder)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{folder}\n")
        self._process.stdin.flush()
        return Verdict(**json.loads(self._process.stdout.readline()))


def workspace(source: str, folder: Path) -> None:
    """Make a folder for LAB_WORKSPACE: a `lab/` with this engine in it."""
    package = folder / "lab"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "engine.py").write_text(source, encoding="utf-8")
